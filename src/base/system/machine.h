/* machine.h - where the cores and PCI devices of this machine are: sockets and NUMA nodes, from /sys. */
#ifndef PISTACHIO_BASE_SYSTEM_MACHINE_H
#define PISTACHIO_BASE_SYSTEM_MACHINE_H

#define MACHINE_CORES_MAX 1024u
#define MACHINE_NODE_UNKNOWN (-1)

typedef struct machine_core {
    int cpu, node, package, core; /* node: of NUMA, or MACHINE_NODE_UNKNOWN */
} machine_core;

/* The cores that the calling thread may use, at most MACHINE_CORES_MAX; 0: the system does not say. */
unsigned machine_cores(machine_core *out);
/* Returns the node of a device given as "0000:3b:00.0"; capital letters are as good. MACHINE_NODE_UNKNOWN: not said. */
int machine_pci_node(const char *bus_id);

#endif

"""Random settings, made from the program's list of them: a new one is in it by itself."""
import subprocess

from . import lists

# Values that find more than the list's own ends; sizes are in bytes.
SPECIAL = {
    "threads": ("1", "2", "3", "7"), "chunk_rows": ("1", "3", "7", "64", "100", "1000"), "memory_limit": ("64MiB", "256MiB", "1GB"),
    "read_ahead": ("0", "65536", "1MiB"), "isa": ("scalar", "avx2", "auto"), "temp_directory": ("{folder}",),
    "cache_memory": ("1MiB", "64MiB"),  # statements of one process find columns of those before
    "device": ("cpu", "simulated"),  # which every machine has
    "result_memory": ("host",),  # the program prints
    "enable_external_access": ("on",),  # statements read and write files
    "hive_partitioning": ("auto", "on"),  # else folders give no columns
    "ranks": ("1", "2", "3", "4", "5"), "distribute": ("auto", "always", "always", "never"),
    "peer_timeout": ("60000",),  # of a busy machine nobody is gone
    "network_message_bytes": ("64", "4096", "1MiB"), "simulated_seed": ("1", "7", "auto"),
    "device_mix": ("1", "2", "3", "4", "5", "6", "7"),  # with a device other than cpu
    # No statement reads an object store.
    "s3_endpoint": ("",), "s3_region": ("",), "s3_access_key_id": ("",), "s3_secret_access_key": ("",), "s3_session_token": ("",),
    "trace": ("{folder}/trace.json",), "timeline": ("{folder}/timeline.svg",),
}
# Operators find memory full at each nth time that they ask, so that small tables spill as well.
FAULTS = ("room:7:every", "room:3:every", "room:2:every")


def choices(name, kind, default, minimum, options):
    if name in SPECIAL:
        return SPECIAL[name]
    if kind == "BOOL":
        return ("on", "off")
    if kind == "CHOICE":
        return tuple(options)
    return (minimum,) if kind in ("COUNT", "BYTES") and minimum != "0" else (default,)


def known_settings(program):
    """The settings that this program has, which may be an older one than the sources."""
    unlisted = set(SPECIAL) - set(lists.settings())
    if unlisted:  # the list is read wrongly, or has other names now
        raise SystemExit(f"settings.def has no {', '.join(sorted(unlisted))}")
    out = subprocess.run([program, "--settings"], capture_output=True, text=True, check=True).stdout
    return {line.split()[0] for line in out.splitlines() if line and not line.startswith(" ")} & set(lists.settings())


def random_settings(rng, folder, known, is_skewed=False, given=()):
    """{name: value}; {} every tenth time, ranks four of ten. is_skewed: several ranks that send each other rows by their keys.
    given: NAME=VALUE, which all have."""
    drawn = draw_settings(rng, folder, known, is_skewed)
    drawn = {name: value for name, value in drawn.items() if name in known or name.isupper()}
    drawn.update(pair.split("=", 1) for pair in given)
    return drawn


def draw_settings(rng, folder, known, is_skewed):
    if rng.random() < 0.1 and not is_skewed:
        return {}
    drawn = {}
    share = rng.choice((0.1, 0.25, 0.5))
    for name, (kind, default, minimum, options) in lists.settings().items():
        if name not in known:
            continue
        if name == "disabled_optimizer_rules":
            if rng.random() < 0.4:
                drawn[name] = rng.choice(["all"] + lists.optimizer_rules())
            continue
        is_slow = name in ("trace", "timeline", "direct_io")
        if rng.random() < (share if not is_slow else 0.06):
            drawn[name] = rng.choice(choices(name, kind, default, minimum, options)).replace("{folder}", folder)
    if rng.random() < 0.3:
        drawn["chunk_rows"] = rng.choice(SPECIAL["chunk_rows"])
    if rng.random() < 0.2:
        drawn["device"] = "simulated"
    if rng.random() < 0.4 or is_skewed:
        drawn["ranks"], drawn["distribute"] = rng.choice(("2", "2", "3", "4", "5")), "always"
    if is_skewed:
        drawn["device"] = rng.choice(("cpu",) * 7 + ("simulated",))
        drawn["chunk_rows"] = rng.choice(("16", "64", "64", "200"))
        drawn["network_message_bytes"] = rng.choice(("4096", "65536", "1MiB"))
        drawn["heavy_keys"] = rng.choice(("on", "on", "on", "off"))
        drawn["disabled_optimizer_rules"] = rng.choice(("broadcast", "broadcast", "broadcast", "all", "none"))
    if rng.random() < 0.4:
        drawn["join_table"] = "open"
    if rng.random() < 0.25:
        drawn["PISTACHIO_FAULT"] = rng.choice(FAULTS)
    return drawn


def is_slow(chosen):
    """Whether thousands of rows would take long."""
    return chosen.get("device", "cpu") != "cpu" or chosen.get("chunk_rows", "auto") in ("1", "3", "7") or chosen.get("network_message_bytes") == "64"

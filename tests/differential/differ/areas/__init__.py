"""Areas in which bugs were found that random queries over small tables cannot find. Each is a module with

    NAMES                   names of what its checks cover: counted, and asked for by --least
    scene(choices)          makes a Scene: files, and their rows as clean tables
    check(choices, scene)   makes a Check: statements over the scene, and their rows

both drawn from Choices. run.py runs them.
"""
from . import counts, dialect, faults, interrupts, limits, moments, names, nested, partitions, textfiles, trips, volatile, wide, writers

MODULES = {"wide": wide, "counts": counts, "names": names, "partitions": partitions, "writers": writers, "trips": trips, "volatile": volatile, "faults": faults,
           "limits": limits, "interrupts": interrupts, "dialect": dialect, "textfiles": textfiles, "nested": nested, "moments": moments}
# Thousandths of the statements of all kinds; the kinds over random tables share the rest.
WEIGHTS = {"wide": 6, "counts": 6, "names": 15, "partitions": 10, "writers": 15, "trips": 10, "volatile": 15, "faults": 5, "limits": 5, "interrupts": 2, "dialect": 30, "textfiles": 20, "nested": 30, "moments": 15}
# Checks of one scene; 50 in other areas.
SCENE = {"wide": 12, "names": 12, "partitions": 6, "writers": 8, "trips": 8, "faults": 30, "limits": 20, "interrupts": 20, "textfiles": 25}
EVERY = "areas"  # the value of --only for all areas by their weights

#!/usr/bin/env python3
"""The 22 queries of TPC-H over a store that fails on purpose: each fault of store.py alone, and at random, by seeds. The published
answers, or an error that says what the store did; never a hang.

faults.py PROGRAM [--seeds N] [--first SEED] [--seconds S]
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

from store import Store

KEYS = ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
TABLES = "customer lineitem nation orders part partsupp region supplier".split()
# Faults in each answer: these are overcome, those are an error that names the object.
OVERCOME = ("busy", "reset")
# What the error says of a fault that came at random.
SAID = {"whole": "gives no parts of files", "shifted": "the server ", "nameless": "does not say which part", "header": "too long", "packed": "compresses",
        "denied": "403 AccessDenied", "changing": "changed while it was read", "longer": "more than was asked for"}
REFUSED = ("whole", "shifted", "longer", "nameless", "header", "packed", "denied", "changing", "broken", "hang")

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--seeds", type=int, default=500)
parser.add_argument("--first", type=int, default=1)
parser.add_argument("--seconds", type=int, default=10 ** 6)
options = parser.parse_args()
program = os.path.abspath(options.program)
work = tempfile.TemporaryDirectory()
failures = []


def run(store, bucket, queries="1-22", **more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment = {**kept, "HOME": work.name, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{store.server_port}", "AWS_ACCESS_KEY_ID": KEYS[0],
                   "AWS_SECRET_ACCESS_KEY": KEYS[1], "AWS_REGION": "eu-central-1", **more}
    tables = [text for name in TABLES for text in ("--table", f"{name}=s3://{bucket}/{name}.parquet")]
    try:
        done = subprocess.run([program, "tpch", "run", "--check", "--queries", queries, *tables], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return None, "it hangs"
    return done.returncode, done.stdout


def main():
    root = os.path.join(work.name, "root")
    os.makedirs(root)
    subprocess.run([program, "tpch", "generate", "--scale", "0.01", "--out", f"{root}/data"], check=True, stdout=subprocess.DEVNULL)
    store = Store(root, KEYS)
    threading.Thread(target=store.serve_forever, daemon=True).start()
    for fault in OVERCOME + REFUSED:
        is_fine = fault in OVERCOME
        status, said = run(store, fault, "1-22" if is_fine else "6", PISTACHIO_HTTP_TIMEOUT="60" if is_fine else "2")
        is_right = status == 0 if is_fine else status == 1 and f"s3://{fault}/" in said
        if "TIMES" in os.environ:
            print(f"{fault}: {is_right}" + ("" if is_right else said[-300:]), flush=True)
        if not is_right:
            failures.append(f"{fault}: {status}: {said[-400:]}")
    began, seed, right, refused = time.monotonic(), options.first, 0, 0
    while seed < options.first + options.seeds and time.monotonic() - began < options.seconds:
        store.random, store.wilds = random.Random(seed), []
        status, said = run(store, "wild" if seed % 2 else "shaky")
        is_refused = status == 1 and any(SAID[fault] in said for fault in store.wilds)
        right += status == 0
        refused += is_refused
        if status != 0 and not is_refused:
            failures.append(f"seed {seed}: {status}: {store.wilds}: {said[-400:]}")
        seed += 1
        if "TIMES" in os.environ:
            print(f"{seed - options.first} seeds in {time.monotonic() - began:.0f} s: {right} right, {refused} with an error", flush=True)
    for failure in failures:
        print(f"failed: {failure}")
    print(f"faults: {len(OVERCOME + REFUSED)} faults alone, {seed - options.first} seeds: {right} right, {refused} with an error, {len(failures)} failed")
    sys.stdout.flush()
    os._exit(bool(failures))  # threads may hang on purpose


main()

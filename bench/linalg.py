"""The numpy side of the linear-algebra benchmark. Reads one JSON command a line, answers with one line.

{"prepare": {"operation": …, sizes}} makes the operands; {"repeat": n} does the operation n times and answers the
seconds that took, on the clock named on the command line: "wall", or "processor" for the time this process computed.
"""
import json
import sys
import time

import numpy as np


def operation(case):
    random = np.random.default_rng(1)
    kind = case["operation"]
    if kind == "gemm":
        a = random.standard_normal((case["m"], case["k"]))
        b = random.standard_normal((case["k"], case["n"]))
        c = np.empty((case["m"], case["n"]))
        return lambda: np.dot(a, b, out=c)
    if kind == "gemmTransposed":
        a = random.standard_normal((case["k"], case["m"]))
        b = random.standard_normal((case["k"], case["n"]))
        c = np.empty((case["m"], case["n"]))
        return lambda: np.dot(a.T, b, out=c)
    if kind == "syrk":
        a = random.standard_normal((case["n"], case["k"]))
        c = np.empty((case["n"], case["n"]))
        return lambda: np.dot(a, a.T, out=c)
    if kind == "gemv":
        a = random.standard_normal((case["m"], case["n"]))
        x = random.standard_normal(case["n"])
        y = np.empty(case["m"])
        return lambda: np.dot(a, x, out=y)
    n = case["n"]
    a = random.standard_normal((n, n))
    if kind == "cholesky":
        definite = a @ a.T + n * np.eye(n)
        return lambda: np.linalg.cholesky(definite)
    if kind == "eigh":
        symmetric = a + a.T
        return lambda: np.linalg.eigh(symmetric)
    raise ValueError(kind)


clock = {"wall": time.perf_counter, "processor": time.process_time}[sys.argv[1]]
print(json.dumps({"numpy": np.__version__}), flush=True)
act = None
for line in sys.stdin:
    command = json.loads(line)
    if "prepare" in command:
        act = operation(command["prepare"])
        print("0", flush=True)
    else:
        begun = clock()
        for _ in range(command["repeat"]):
            act()
        print(repr(clock() - begun), flush=True)

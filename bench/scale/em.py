"""A plain EM in numpy, as anybody would write it: cosines in the space whitened by the auxiliary pictures.

Web pictures count by the posterior of their own label, test pictures by theirs. One line of JSON says how long it took.
"""

import json
import resource
import sys
import time

import numpy

POWER, SHRINKAGE, SHARPNESS, ROUNDS = 0.75, 0.3, 60, 25


def unit(rows):
    return rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def prepared(rows, dtype):
    rows = rows.astype(dtype)
    return unit(numpy.sign(rows) * numpy.abs(rows) ** POWER)


def posteriors(pictures, means):
    scores = SHARPNESS * (pictures @ unit(means).T)
    scores -= scores.max(axis=1, keepdims=True)
    numpy.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def em(problem, dtype):
    auxiliary = prepared(problem["aux_features"], dtype)
    labels = problem["aux_labels"]
    rest = auxiliary.copy()
    for category in range(labels.max() + 1):
        rest[labels == category] -= auxiliary[labels == category].mean(axis=0)
    scatter = rest.T @ rest / len(rest)
    dimensions = len(scatter)
    scatter += SHRINKAGE * numpy.trace(scatter) / dimensions * numpy.eye(dimensions, dtype=dtype)
    root = numpy.linalg.inv(numpy.linalg.cholesky(scatter)).T
    web = prepared(problem["web_features"], dtype)
    test = prepared(problem["test_features"], dtype)
    web = unit((web - web.mean(axis=0)) @ root)
    test = unit((test - test.mean(axis=0)) @ root)
    web_labels = problem["web_labels"]
    categories = web_labels.max() + 1
    own = numpy.zeros((len(web), categories), dtype)
    own[numpy.arange(len(web)), web_labels] = 1
    means = own.T @ web
    for _ in range(ROUNDS):
        trust = own * posteriors(web, means)
        assigned = posteriors(test, means)
        means = trust.T @ web + assigned.T @ test
    return (test @ unit(means).T).argmax(axis=1)


if __name__ == "__main__":
    file, dtype = sys.argv[1:]
    # npz members are read when they are asked for: not on the clock.
    with numpy.load(file) as arrays:
        problem = {name: arrays[name] for name in arrays.files if "features" in name or "labels" in name}
    begun, processor = time.perf_counter(), time.process_time()
    answers = em(problem, numpy.dtype(dtype))
    seconds, used = time.perf_counter() - begun, time.process_time() - processor
    right = float((answers == problem["test_labels"]).mean())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "processor": used, "peak": peak, "accuracy": right}))

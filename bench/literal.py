"""The paper's algorithm transcribed literally to numpy: the peer of the learner benchmark.

Nothing is reduced: all m semantic dimensions, E and R stored, products with nw columns. Reads the problem from a
folder of .npy files with instances as rows, runs a fixed number of iterations, prints JSON with seconds per iteration
(all of it, and without the weights' problem, whose pairwise solver is a Python loop) and writes A' for comparison.
"""
import json, sys, time
import numpy as np

folder, iterations = sys.argv[1], int(sys.argv[2])
l1, l2, l3, l4, bound = (float(v) for v in sys.argv[3:8])
load = lambda name: np.load(f"{folder}/{name}.npy")
Xa, Xw, Xt = load("aux_features").T, load("web_features").T, load("test_features").T
Aa = load("aux_semantics")[load("aux_labels")].T
Aw = load("test_semantics")[load("web_labels")].T
m, nw, nt = Aa.shape[0], Xw.shape[1], Xt.shape[1]


def smo(H, f, theta, total_steps=20000, tolerance=1e-6):
    """Most violating pair until the gap, in units of theta, is below the tolerance."""
    g = H @ theta - f
    scale = np.mean(np.diag(H))
    for _ in range(total_steps):
        up = np.where(theta < bound, -g, -np.inf)
        low = np.where(theta > 0, -g, np.inf)
        i, j = int(np.argmax(up)), int(np.argmin(low))
        gap = up[i] - low[j]
        if gap <= tolerance * scale:
            break
        step = min(gap / (H[i, i] + H[j, j] - 2 * H[i, j]), bound - theta[i], theta[j])
        theta[i] += step
        theta[j] -= step
        g += step * (H[i] - H[j])
    return theta


begun = time.perf_counter()
Da = np.linalg.solve(Aa @ Aa.T + np.eye(m), Aa @ Xa.T).T
D, mu, theta = Da.copy(), 0.1, np.ones(nw)
A = np.linalg.solve(D.T @ D + mu * np.eye(m), D.T @ Xt)
R, T = np.zeros_like(Xw), np.zeros((m, nt))
gram = Xw.T @ Xw
linear = Xw.T @ Xt.sum(axis=1)
prepared = time.perf_counter() - begun
weights_seconds = 0.0
begun = time.perf_counter()
for _ in range(iterations):
    Q = (Xw - D @ Aw) * theta - R / mu
    norms = np.linalg.norm(Q, axis=0)
    E = Q * np.where(norms > l4 / mu, 1 - l4 / (mu * np.maximum(norms, 1e-300)), 0)
    U, S, V = np.linalg.svd(A + T / mu, full_matrices=False)
    Z = (U * np.maximum(S - l2 / mu, 0)) @ V
    right = Xt @ A.T + l1 * Da + ((mu * Xw * theta - mu * E - R) * theta) @ Aw.T
    system = A @ A.T + mu * (Aw * theta**2) @ Aw.T + l1 * np.eye(m)
    D = np.linalg.solve(system, right.T).T
    A = np.linalg.solve(D.T @ D + mu * np.eye(m), D.T @ Xt + mu * Z - T)
    B = Xw - D @ Aw
    started = time.perf_counter()
    H = l3 / nw**2 * gram
    H[np.diag_indices(nw)] += mu * np.einsum("ij,ij->j", B, B)
    f = l3 / (nw * nt) * linear + mu * np.einsum("ij,ij->j", B, E) + np.einsum("ij,ij->j", R, B)
    theta = smo(H, f, theta)
    weights_seconds += time.perf_counter() - started
    residual = E - B * theta
    R = R + mu * residual
    T = T + mu * (A - Z)
    largest = max(np.abs(residual).max(), np.abs(A - Z).max())
    mu = min(1e6, 1.1 * mu)
seconds = time.perf_counter() - begun
np.save(f"{folder}/literal_semantics.npy", A.T)
print(json.dumps({
    "prepare": prepared,
    "iteration": seconds / iterations,
    "iterationWithoutWeights": (seconds - weights_seconds) / iterations,
    "residual": float(largest),
    "numpy": np.__version__,
}))

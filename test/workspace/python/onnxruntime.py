"""Stands in for onnxruntime where Python lacks it: the graph runs in Node's onnxruntime, which is the same library."""
import json, os, subprocess
import numpy


class Named:
    def __init__(self, name, shape=None):
        self.name, self.shape = name, shape


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def fields(data):
    """Number and content of the fields of a protobuf message."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            length, at = varint(data, at) if tag & 7 == 2 else ({1: 8, 5: 4}[tag & 7], at)
            value, at = data[at : at + length], at + length
        yield tag >> 3, value


class InferenceSession:
    def __init__(self, path):
        with open(path, "rb") as file:
            entries = [dict(fields(value)) for number, value in fields(memoryview(file.read())) if number == 14]
        self.custom_metadata_map = {bytes(entry[1]).decode(): bytes(entry[2]).decode() for entry in entries}
        runner = os.path.join(os.path.dirname(__file__), "run-graph.mjs")
        self.node = subprocess.Popen([os.environ["NODE"], runner, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        described = json.loads(self.node.stdout.readline())
        self.inputs = [Named(one["name"], one["shape"]) for one in described["inputs"]]
        self.outputs = [Named(name) for name in described["outputs"]]

    def get_modelmeta(self):
        return self

    def get_inputs(self):
        return self.inputs

    def get_outputs(self):
        return self.outputs

    def run(self, _, feeds):
        [(name, values)] = feeds.items()
        assert values.dtype == numpy.float32
        self.node.stdin.write((json.dumps({"name": name, "shape": values.shape}) + "\n").encode())
        self.node.stdin.write(numpy.ascontiguousarray(values).tobytes())
        self.node.stdin.flush()
        answer = json.loads(self.node.stdout.readline())
        return [numpy.array(answer[one.name]["data"], numpy.float32).reshape(answer[one.name]["shape"]) for one in self.outputs]

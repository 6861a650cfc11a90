/**
 * `classify.py`: a Python program that answers as `bowerbird classify` does, from `classifier-with-network.onnx` beside it.
 * Pictures are brought to the network's size in the steps of libvips, with the same centre and the same scale, since half a
 * pixel makes a difference to some networks.
 */
export const classifyScript = `"""Says what pictures show: python classify.py PICTURE... (needs: pip install onnxruntime pillow)"""
import io, json, pathlib, sys
import numpy, onnxruntime
from PIL import Image, ImageCms, ImageOps

session = onnxruntime.InferenceSession(str(pathlib.Path(__file__).with_name("classifier-with-network.onnx")))
about = session.get_modelmeta().custom_metadata_map
names, look, unlisted = (json.loads(about["bowerbird." + key]) for key in ("categories", "preprocessing", "unlisted"))
kernel = {"nearest": 0, "lanczos3": 1, "linear": 2, "cubic": 3}[look["kernel"]]
behind = tuple(round(value) for value in look["background"])


def pixels(path):
    """Upright, in sRGB, over the background, at the network's size."""
    (height, width), picture = look["size"], Image.open(path)
    grow = look["shorterSide"] / min(width, height) if look["resize"] == "crop" else 1
    box = int(width * grow + 0.5), int(height * grow + 0.5)
    least = int(min(picture.width / box[0], picture.height / box[1]))
    upright = picture.getexif().get(274, 1) == 1 or box == (width, height)
    if least > 2 and upright:  # a JPEG is decoded small where it is much too large, without part of a pixel at its border
        whole = picture.size
        picture.draft(None, [side // (least - 1) for side in whole])
        part = round(whole[0] / picture.width)
        picture = picture.crop((0, 0, whole[0] // part, whole[1] // part))
    profile = picture.info.get("icc_profile")
    picture = ImageOps.exif_transpose(picture)
    if profile and picture.mode == "RGB":
        picture = ImageCms.profileToProfile(picture, io.BytesIO(profile), ImageCms.createProfile("sRGB"))
    if "A" in picture.mode or "transparency" in picture.info:
        picture = Image.alpha_composite(Image.new("RGBA", picture.size, behind), picture.convert("RGBA"))
    picture = picture.convert("RGB")
    shrink = [a / b for a, b in zip(picture.size, box)]
    if look["resize"] != "stretch":
        shrink = [(min if look["resize"] == "crop" else max)(shrink)] * 2
    size = [int(a / s + 0.5) for a, s in zip(picture.size, shrink)]
    blocks = [max(1, int(s / 2)) for s in shrink]
    picture, shrink = picture.reduce(blocks), [s / b for s, b in zip(shrink, blocks)]
    edge = int(3 * max(shrink)) + 4  # outside of the picture its border goes on
    wide = Image.fromarray(numpy.pad(picture, ((edge, edge), (edge, edge), (0, 0)), "edge"))
    # what is made smaller keeps its centre, what is made larger begins half a pixel before
    first = [edge + ((a - b * s) / 2 if s >= 1 else -s / 2) for a, b, s in zip(picture.size, size, shrink)]
    last = [a + b * s for a, b, s in zip(first, size, shrink)]
    scaled, result = wide.resize(size, kernel, (*first, *last)), Image.new("RGB", (width, height), behind)
    result.paste(scaled, [-((a - b + 1) // 2) - (b - c + 1) // 2 for a, b, c in zip(size, box, (width, height))])
    return result


def classify(path):
    """The answer, with the keys of "bowerbird classify --json"; "answer" says it in words."""
    batch = session.get_inputs()[0].shape[0]
    values = numpy.asarray(pixels(path), numpy.float32)[None].repeat(batch if isinstance(batch, int) else 1, 0)
    found = dict(zip((output.name for output in session.get_outputs()), session.run(None, {"pixels": values})))
    order = numpy.argsort(-found["scores"][0], kind="stable")
    answer = {"picture": str(path), "answer": names[order[0]], "category": names[order[0]]}
    if len(names) > 1:
        answer["runnerUp"] = names[order[1]]
    if "confidences" in found:
        chances = [float(found["confidences"][0, i]) for i in order[:2]]
        answer.update(zip(("confidence", "runnerUpConfidence"), chances))
    if unlisted:
        answer["unlisted"] = float(found["unlisted"][0, 0])
        if answer["unlisted"] > unlisted["above"]:
            answer["answer"] = unlisted["answer"]
    return answer


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(json.dumps(classify(name), ensure_ascii=False))
`;

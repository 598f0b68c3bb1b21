"""The descriptor set that the build writes is what protoc makes of the same file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from google.protobuf import descriptor_pb2

import blockloom

PROTO = Path(__file__).parents[2] / "proto"
BUILT = Path(blockloom.__file__).parent / "_server" / "descriptor_set.binpb"


def test_the_descriptor_set_equals_the_one_of_protoc(tmp_path: Path) -> None:
    out = tmp_path / "set.binpb"
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTO}", f"--descriptor_set_out={out}"]
    subprocess.run([*command, "blockloom/v1/environment.proto"], check=True)
    expected = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes())
    built = descriptor_pb2.FileDescriptorSet.FromString(BUILT.read_bytes())
    assert len(built.file) == 1
    assert len(built.file[0].message_type) > 30
    assert built == expected

"""An internal consumer in Python that calls a service with grpcio, and prints what it was answered as JSON."""

import json
import sys

import grpc
from google.protobuf import descriptor_pool, message_factory
from google.rpc import error_details_pb2, status_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

target, account, everything, reading, revoked = sys.argv[1:]
COMPUTE = "millhand.compute.v1.ComputeService"
plain = grpc.insecure_channel(target)


class Reflecting(grpc.StreamStreamClientInterceptor):
    def intercept_stream_stream(self, call, details, requests):
        return call(details._replace(metadata=[("authorization", f"Bearer {everything}")]), requests)


pool = descriptor_pool.DescriptorPool(
    ProtoReflectionDescriptorDatabase(grpc.intercept_channel(plain, Reflecting()))
)


def call(name, secret=everything, of=account, timeout=60, **fields):
    found = pool.FindServiceByName(COMPUTE).FindMethodByName(name)
    request, answer = (message_factory.GetMessageClass(desc) for desc in (found.input_type, found.output_type))
    make = plain.unary_stream if found.server_streaming else plain.unary_unary
    stub = make(f"/{COMPUTE}/{name}", request.SerializeToString, answer.FromString)
    metadata = [("authorization", f"Bearer {secret}"), ("millhand-account", of), ("millhand-mode", "test")]
    answered = stub(request(**fields), metadata=metadata, timeout=timeout)
    return list(answered) if found.server_streaming else answered


def refusal(work):
    try:
        work()
    except grpc.RpcError as error:
        for name, value in error.trailing_metadata() or ():
            if name != "grpc-status-details-bin":
                continue
            for detail in status_pb2.Status.FromString(value).details:
                info = error_details_pb2.ErrorInfo()
                if detail.Unpack(info):
                    return error.code().name, info.reason
        return error.code().name, None
    raise AssertionError("it was answered")


task = {"type": "TASK_TYPE_INFERENCE", "model": "digits"}
created = call("CreateTask", **task, input="sandbox:slow:10")
slow = call("CreateTask", **task, input="sandbox:slow:600000")
wrong = everything[:-1] + ("1" if everything.endswith("0") else "0")

health = pool.FindServiceByName("grpc.health.v1.Health").FindMethodByName("Check")
request, answer = (message_factory.GetMessageClass(desc) for desc in (health.input_type, health.output_type))
checked = plain.unary_unary("/grpc.health.v1.Health/Check", request.SerializeToString, answer.FromString)(request())

print(
    json.dumps(
        {
            "events": [event.type for event in call("WatchTask", id=created.id)],
            "narrow": refusal(lambda: call("CreateTask", reading, **task)),
            "foreign": refusal(lambda: call("ListTasks", of="acct_00000000000000000000000001")),
            "revoked": refusal(lambda: call("ListTasks", revoked)),
            "wrong": refusal(lambda: call("ListTasks", wrong)),
            "late": refusal(lambda: call("WatchTask", id=slow.id, timeout=1))[0],
            "health": answer.ServingStatus.Name(checked.status),
        }
    )
)
call("CancelTask", id=slow.id)

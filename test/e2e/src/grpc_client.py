"""A program in Python that calls a gateway with grpcio, and prints what it was answered as JSON."""

import json
import sys
import uuid

import grpc
from google.protobuf import descriptor_pool, message_factory
from google.rpc import error_details_pb2, status_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

target, key = sys.argv[1:]
channel = grpc.insecure_channel(target)
pool = descriptor_pool.DescriptorPool(ProtoReflectionDescriptorDatabase(channel))


def message(name, **fields):
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))(**fields)


def call(method, fields, *, authorization=f"Bearer {key}", timeout=60, metadata=()):
    service, name = method.split("/")
    found = pool.FindServiceByName(service).FindMethodByName(name)
    of_output = message_factory.GetMessageClass(found.output_type)
    make = channel.unary_stream if found.server_streaming else channel.unary_unary
    stub = make(
        f"/{method}",
        request_serializer=lambda request: request.SerializeToString(),
        response_deserializer=of_output.FromString,
    )
    sent = (("authorization", authorization), *metadata)
    request = message(found.input_type.full_name, **fields)
    if found.server_streaming:
        return list(stub(request, metadata=sent, timeout=timeout)), None
    answer, info = stub.with_call(request, metadata=sent, timeout=timeout)
    return answer, dict(info.initial_metadata())


def refusal(work):
    try:
        work()
    except grpc.RpcError as error:
        details = {}
        for name, value in error.trailing_metadata() or ():
            if name != "grpc-status-details-bin":
                continue
            for detail in status_pb2.Status.FromString(value).details:
                for kind in (error_details_pb2.ErrorInfo, error_details_pb2.BadRequest):
                    if detail.Is(kind.DESCRIPTOR):
                        details[kind.__name__] = kind()
                        detail.Unpack(details[kind.__name__])
        return error.code().name, details
    raise AssertionError("it was answered")


COMPUTE = "millhand.compute.v1.ComputeService"
task = {"type": "TASK_TYPE_INFERENCE", "model": "digits", "input": "sandbox:slow:10"}
once = (("idempotency-key", str(uuid.uuid4())),)
created, _ = call(f"{COMPUTE}/CreateTask", task, metadata=once)
again, headers = call(f"{COMPUTE}/CreateTask", task, metadata=once)
ended, _ = call(f"{COMPUTE}/WaitTask", {"id": created.id, "timeout_ms": 60_000})
events, _ = call(f"{COMPUTE}/WatchTask", {"id": created.id})
wrong, wrong_details = refusal(lambda: call(f"{COMPUTE}/ListTasks", {}, authorization="Bearer mh_test_wrong"))
faulty, faulty_details = refusal(lambda: call(f"{COMPUTE}/CreateTask", {}))
slow, _ = call(f"{COMPUTE}/CreateTask", {**task, "input": "sandbox:slow:20000"})
late, _ = refusal(lambda: call(f"{COMPUTE}/WatchTask", {"id": slow.id}, timeout=0.3))
call(f"{COMPUTE}/CancelTask", {"id": slow.id})
health, _ = call("grpc.health.v1.Health/Check", {"service": COMPUTE})
print(
    json.dumps(
        {
            "same": created == again,
            "replayed": headers.get("idempotent-replayed"),
            "ended": ended.DESCRIPTOR.fields_by_name["status"].enum_type.values_by_number[ended.status].name,
            "events": [event.type for event in events],
            "wrong": [wrong, wrong_details["ErrorInfo"].reason],
            "faulty": [faulty, faulty_details["ErrorInfo"].reason],
            "fields": [violation.field for violation in faulty_details["BadRequest"].field_violations],
            "late": late,
            "health": health.DESCRIPTOR.fields_by_name["status"].enum_type.values_by_number[health.status].name,
        }
    )
)

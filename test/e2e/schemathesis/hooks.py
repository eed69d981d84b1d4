"""What no schema can say: Schemathesis makes values that a schema allows, and here they become ones that mean something."""

import json
import os
import uuid
from datetime import datetime, timedelta, timezone

import schemathesis

OWN_KEY_ID = os.environ["MILLHAND_FUZZ_KEY_ID"]
MODEL_FILE = os.environ["MILLHAND_FUZZ_MODEL_FILE"]
NOBODY = "https://127.0.0.1:4/hooks"
LISTS = (
    "GET /v1/tasks",
    "GET /v1/batches",
    "GET /v1/instances",
    "GET /v1/models",
    "GET /v1/files",
    "GET /v1/api_keys",
    "GET /v1/webhooks",
    "GET /v1/webhooks/{webhook_id}/deliveries",
    "GET /v1/events",
    "GET /v1/billing/invoices",
    "GET /v1/billing/lines/{id}/entries",
    "GET /v1/workforce/{employee}/tasks",
)
BLANK_DIGIT = "[" + ",".join(["0"] * 64) + "]"


@schemathesis.hook
def before_call(context, case, kwargs):
    """A valid create names a model and an input that it reads, without NUL; a valid list brings no cursor of its own making."""
    # It finds the key that it calls with in lists, and would revoke it: everything after that would only be a 401.
    if (case.path_parameters or {}).get("id") == OWN_KEY_ID:
        case.path_parameters["id"] = "key_00000000000000000000000000"
    # The same with the file that it makes models of.
    if (case.path_parameters or {}).get("id") == MODEL_FILE:
        case.path_parameters["id"] = "file_00000000000000000000000000"
    # Logs that are followed go on as long as the instance does.
    if case.operation.label == "GET /v1/instances/{id}/logs" and str((case.query or {}).get("follow")).lower() == "true":
        case.query["follow"] = "false"
    if case.meta is None:
        return
    # Which replicas there are is not in the schema.
    if case.operation.label == "GET /v1/instances/{id}/logs" and case.meta.generation.mode.is_positive and case.query:
        case.query.pop("replica", None)
    if not case.meta.generation.mode.is_positive:
        keep_wrong(case)
        return
    if case.operation.label == "POST /v1/workforce/{employee}/tasks" and isinstance(case.body, dict):
        case.path_parameters["employee"] = "emma"
        describe_work(case.body)
    elif case.operation.label == "POST /v1/tasks" and isinstance(case.body, dict) and "employee" in case.body:
        case.body["employee"] = "emma"
        describe_work(case.body)
    elif case.operation.label == "POST /v1/tasks" and isinstance(case.body, dict):
        case.body.update(type="inference", model="digits", input=BLANK_DIGIT)
        case.body.pop("input_file", None)
        if case.body.get("callback"):
            case.body["callback"] = {"url": NOBODY, "events": ["task.*"]}
        for field in ("parameters", "metadata"):
            if "\\u0000" in json.dumps(case.body.get(field)):
                del case.body[field]
    if case.operation.label == "POST /v1/batches" and isinstance(case.body, dict):
        case.body["tasks"] = [{"type": "inference", "model": "digits", "input": BLANK_DIGIT}]
        case.body.pop("input_file", None)
    if case.operation.label == "POST /v1/instances" and isinstance(case.body, dict):
        describe_instance(case.body)
    if case.operation.label == "PUT /v1/billing/plans" and isinstance(case.body, dict):
        # The account that it calls with has them from the operator, who alone takes them back.
        case.body.update({family: "enterprise" for family in case.body if isinstance(case.body[family], str)})
    if case.operation.label == "PUT /v1/billing/limits" and isinstance(case.body, dict):
        # A limit that is reached would refuse all creates after it.
        case.body.update({family: {"amount": "999999999", "currency": "USD"} for family in case.body if isinstance(case.body[family], dict)})
    if case.operation.label == "POST /v1/models" and isinstance(case.body, dict):
        case.body.clear()
        case.body.update(name="A model of the fuzzer", file=MODEL_FILE)
    if case.operation.label == "POST /v1/files":
        describe_once(case)
    if case.operation.label in LISTS and case.query:
        case.query.pop("cursor", None)
    if case.operation.label in ("GET /v1/usage", "GET /v1/workforce/usage") and case.query and {"start", "end"} & set(case.query):
        case.query.update(start="2026-11-01T00:00:00Z", end="2026-11-02T00:00:00Z")
    if "/v1/webhooks" in case.operation.label and isinstance(case.body, dict):
        describe_endpoint(case.body)
    if case.operation.label == "POST /v1/api_keys" and isinstance(case.body, dict):
        case.body["scopes"] = ["tasks:read"]
        case.body.pop("expires_at", None)
    # The same key with another request is refused, and Schemathesis has few keys.
    if "Idempotency-Key" in (case.headers or {}):
        case.headers["Idempotency-Key"] = str(uuid.uuid4())


def describe_work(body):
    """Work is of a kind that its employee does, with an input that fits, and asks for what can be had."""
    body.update(task="sentiment_analysis", input={"texts": ["Not bad at all."]})
    for field in ("files", "engine", "constraints"):
        body.pop(field, None)
    if body.get("callback"):
        body["callback"] = {"url": NOBODY, "events": ["workforce.task.*"]}
    if body.get("max_cost") is not None:
        body["max_cost"] = {"amount": "0.25", "currency": "USD"}
    for field in [field for field in body if "\\u0000" in json.dumps(body[field])]:
        del body[field]


def describe_instance(body):
    """An instance runs on what there is. No text has a NUL."""
    body["gpu"] = "cpu"
    for field in [field for field in body if "\\u0000" in json.dumps(body[field])]:
        del body[field]


def describe_endpoint(body):
    """An endpoint has an address that can be dialled, and asks for events that there are."""
    for field, value in (("url", NOBODY), ("events", ["task.*"]), ("types", ["task.*"])):
        if body.get(field):
            body[field] = value
    if "since" in body:
        body["since"] = (datetime.now(timezone.utc) - timedelta(minutes=1)).isoformat()
        body.pop("until", None)


def describe_once(case):
    """An upload is described by the query, or by a form's fields before its file; it has at most 16 labels."""
    is_form = isinstance(case.body, dict)
    description = case.body if is_form else case.query
    if is_form:
        case.query.clear()
        description["file"] = description.pop("file")
    if "media_type" in description:
        description["media_type"] = "application/x-own"
    for name in [name for name in description if name.startswith("metadata[")][16:]:
        del description[name]
    # It is still what its schema allows: Schemathesis would look again, and takes no changed form with bytes for that.
    case._sync_validated_hashes()


def keep_wrong(case):
    """Labels that are wrong by their type are good ones in a query, and so is an unknown header: an unknown parameter is wrong still."""
    is_labelled = case.operation.label in ("GET /v1/tasks", "GET /v1/workforce/{employee}/tasks", "POST /v1/files")
    is_label = is_labelled and any(str(name).startswith("metadata") for name in case.query or {})
    if is_label or "x-schemathesis-unknown-property" in (case.headers or {}):
        case.query["unheard_of"] = "1"

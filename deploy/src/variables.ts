/** The settings of all processes. A test compares the tables in `docs/operating.md` and `docs/many-machines.md` with them. */
import {
  address,
  boolean,
  integer,
  oneOf,
  optional,
  path,
  type Schema,
  type Setting,
  secret,
  text,
} from '@millhand/process'
import { levels } from '@millhand/telemetry'
import { instanceVariables } from './instance-variables.ts'
import { paymentVariables } from './payment-variables.ts'
import { urlVariables } from './service-urls.ts'
import {
  addressRanges,
  apiKey,
  baseUrl,
  hostPorts,
  modelServer,
  mongoUrl,
  planNames,
  providerNames,
  publicKeys,
  url,
} from './setting-types.ts'

export const variables = {
  MILLHAND_HTTP_ADDR: address('127.0.0.1:8080', 'The address of the REST API. Port 0 picks a free port.'),
  MILLHAND_GRPC_ADDR: address('127.0.0.1:8081', 'The address of gRPC, gRPC-Web and Connect, over HTTP/2.'),
  MILLHAND_METRICS_ADDR: address('127.0.0.1:9464', 'The address of the metrics endpoint, `/metrics`.'),
  MILLHAND_DATA_DIR: path('.millhand', 'The folder that holds all data: tasks, events, inputs, keys.'),
  MILLHAND_MODELS_DIR: optional(
    path(undefined, 'A folder with your own models. Each model is a folder with `model.json`.'),
  ),
  MILLHAND_LOG_LEVEL: oneOf('info', 'The minimum level of log lines. Logs go to standard error.', levels),
  MILLHAND_KEY: optional(secret('Your API key in the examples of the documentation. The server does not read it.')),
  MILLHAND_BOOTSTRAP_KEY: optional(
    apiKey('live', 'The live key of the first account. By default the first start creates one.'),
  ),
  MILLHAND_BOOTSTRAP_TEST_KEY: optional(
    apiKey('test', 'The test key of the first account. By default the first start creates one.'),
  ),
  MILLHAND_BOOTSTRAP_PLANS: optional(
    planNames('The plans of the first account when it is created. A family without a plan gets `enterprise`.'),
  ),
  MILLHAND_PLANS_FILE: optional(
    path(undefined, 'Your own plans file, which replaces `deploy/plans.yaml`. Set the same file for all processes.'),
  ),
  MILLHAND_SECRET_KEY: optional(
    secret('The secret that signs cursors and encrypts stored secrets. By default the first start creates one.', {
      minLength: 32,
    }),
  ),
  MILLHAND_SANDBOX: oneOf(
    'auto',
    'The operating system sandbox for processes that read untrusted input. `auto` uses the best one that the machine has, `required` does not start without bubblewrap, and `off` relies on Node’s permission model alone.',
    ['auto', 'required', 'off'],
  ),
  MILLHAND_EXECUTOR_SLOTS: optional(
    integer(
      undefined,
      'The number of concurrent model runs. 0 turns off model runs and the sandbox. By default the number of CPU cores, at least 2.',
      { min: 0, max: 64 },
    ),
  ),
  MILLHAND_PROVIDERS: providerNames(
    'What models may run on: `cpu`, `webgpu`, `cuda`, with commas between them. `cpu` is always there. `auto` uses all that work on this machine.',
  ),
  MILLHAND_MODEL_MEMORY_MB: integer(
    2_048,
    'The memory limit of a model’s process, of a GGUF model beside its file. A process over the limit is stopped.',
    { min: 256, max: 1_048_576, unit: 'MiB' },
  ),
  MILLHAND_MODELS_MEMORY_MB: integer(
    4_096,
    'The memory limit of all model processes together. Over the limit, idle models are unloaded.',
    { min: 256, max: 1_048_576, unit: 'MiB' },
  ),
  MILLHAND_MODEL_THREADS: optional(
    integer(undefined, 'The number of compute threads of a model’s process. By default the number of CPU cores.', {
      min: 1,
      max: 1_024,
    }),
  ),
  MILLHAND_TEXT_SLOTS: integer(2, 'How many texts GGUF models generate at once, with the package `node-llama-cpp`.', {
    min: 0,
    max: 64,
  }),
  MILLHAND_ENGINE_SLOTS: optional(
    integer(
      undefined,
      'The number of concurrent workforce tasks. 0 turns them off. By default the value of `MILLHAND_EXECUTOR_SLOTS`, including 0. Without a language or image model the default is at most one fewer than the number of CPU cores, so that one core stays free for requests.',
      { min: 0, max: 64 },
    ),
  ),
  MILLHAND_ENGINE_MEMORY_MB: integer(
    1_024,
    'The memory limit of a workforce process. A process over the limit is stopped.',
    { min: 256, max: 1_048_576, unit: 'MiB' },
  ),
  MILLHAND_ENGINES_MEMORY_MB: optional(
    integer(
      undefined,
      'The memory limit of all workforce processes together. Over the limit, idle processes are stopped. By default a quarter of the machine’s memory, at least 2048. One process of each kind takes 3400.',
      { min: 256, max: 1_048_576, unit: 'MiB' },
    ),
  ),
  MILLHAND_LLM_URL: optional(
    modelServer(
      'The base URL, including `/v1`, of a language model server with OpenAI’s chat completions API. Without a language model, tasks that need one are rejected.',
    ),
  ),
  MILLHAND_LLM_MODEL: text('default', 'The name of the language model that the server is asked for.'),
  MILLHAND_LLM_KEY: optional(secret('The API key of the language model server.')),
  MILLHAND_LLM_GGUF: optional(
    path(
      undefined,
      'A language model in a GGUF file, which the optional package `node-llama-cpp` runs on this machine instead of a server.',
    ),
  ),
  MILLHAND_LLM_MEMORY_MB: integer(
    4_096,
    'The memory limit of the GGUF model’s process, in addition to the size of the file. A process over the limit is restarted.',
    { min: 256, max: 1_048_576, unit: 'MiB' },
  ),
  MILLHAND_LLM_THREADS: optional(
    integer(
      undefined,
      'The number of compute threads of a GGUF model. By default one fewer than the number of CPU cores, at least 1.',
      { min: 1, max: 1_024 },
    ),
  ),
  MILLHAND_LLM_INPUT_MICROS: integer(0, 'The price of a million input tokens of the language model.', {
    min: 0,
    max: 1_000_000_000,
    unit: 'millionths of a dollar',
  }),
  MILLHAND_LLM_OUTPUT_MICROS: integer(0, 'The price of a million output tokens of the language model.', {
    min: 0,
    max: 1_000_000_000,
    unit: 'millionths of a dollar',
  }),
  MILLHAND_EMBEDDING_MODEL: optional(
    path(undefined, 'An embedding model: a folder with `model.onnx` and `tokenizer.json`.'),
  ),
  MILLHAND_IMAGE_URL: optional(
    modelServer(
      'The base URL, including `/v1`, of an image model server with OpenAI’s images API that returns `b64_json`. Without it, photographs are rejected.',
    ),
  ),
  MILLHAND_IMAGE_MODEL: text('default', 'The name of the image model that the server is asked for.'),
  MILLHAND_IMAGE_KEY: optional(secret('The API key of the image model server.')),
  MILLHAND_IMAGE_MICROS: integer(0, 'The price of an image from the image model server.', {
    min: 0,
    max: 1_000_000_000,
    unit: 'millionths of a dollar',
  }),
  MILLHAND_OWNER_LEASE_S: integer(
    10,
    'How long the owner of a service may go without a renewal before another replica takes over. Set the same value for all replicas.',
    { min: 2, max: 60, unit: 'seconds' },
  ),
  MILLHAND_RETENTION_DAYS: integer(30, 'How long an ended task and its data are kept.', {
    min: 1,
    max: 3_650,
    unit: 'days',
  }),
  MILLHAND_STORAGE_QUOTA_MB: integer(
    10_240,
    'The storage quota for the files of an account. Test mode has a separate quota of the same size.',
    { min: 1, max: 1_073_741_824, unit: 'MiB' },
  ),
  MILLHAND_DISK_RESERVE_MB: integer(
    16,
    'Space reserved on the disk of `MILLHAND_DATA_DIR` for revocations, cancellations and results of tasks, at most a sixteenth of the disk.',
    { min: 1, max: 1_048_576, unit: 'MiB' },
  ),
  MILLHAND_MAX_STREAMS: integer(
    5_000,
    'The number of open event streams per account and gateway. Test mode has a separate limit of the same size.',
    { min: 1, max: 1_000_000 },
  ),
  MILLHAND_DRAIN_SECONDS: integer(
    5,
    'How long a process continues to serve after SIGTERM while it reports that it is not ready, so that load balancers can notice.',
    { min: 0, max: 300, unit: 'seconds' },
  ),
  MILLHAND_MAX_WAITS: integer(
    1_000,
    'The number of waiting requests (`Prefer: wait`) per account and gateway. Test mode has a separate limit of the same size.',
    { min: 1, max: 1_000_000 },
  ),
  MILLHAND_MAX_REQUESTS: integer(
    2_000,
    'The number of concurrent requests per account and gateway, without event streams. Test mode has a separate limit of the same size.',
    { min: 1, max: 1_000_000 },
  ),
  MILLHAND_MAX_BODY_MB: integer(
    64,
    'The memory for request bodies per account and gateway. Test mode has a separate limit of the same size.',
    { min: 1, max: 1_048_576, unit: 'MiB' },
  ),
  MILLHAND_PUBLIC_URL: optional(
    baseUrl(
      'The public base URL of the gateway, used for links in responses. By default links use the `Host` of each request.',
    ),
  ),
  MILLHAND_SECURITY_CONTACT: optional({
    doc: 'The contact for security reports, published in `/.well-known/security.txt`.',
    form: 'a URI of mailto: or https:',
    read: written => (/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(written) ? written : undefined),
  }),
  MILLHAND_WEBHOOK_ALLOW: optional(
    addressRanges(
      'Address ranges outside the public internet that webhooks may reach, also with plain `http`. Allow only your own networks.',
    ),
  ),
  ...instanceVariables,
  MILLHAND_USAGE_ENTRY_DAYS: integer(
    400,
    'How long the ledger entry of each task is kept after its hour was summed: as long as it is listed under its line of a bill, and an event that comes again is known. It must be longer than `MILLHAND_RETENTION_DAYS`. Sums and invoices are kept for ever.',
    { min: 90, max: 36_500, unit: 'days' },
  ),
  MILLHAND_BILLING_GRACE_HOURS: integer(
    72,
    'How long after its end a month closes and its invoice is final. What is heard of later is on the next one.',
    { min: 1, max: 480, unit: 'hours' },
  ),

  MILLHAND_SELLER_NAME: text('Millhand', 'Who sends the invoices: the name of your business, on their PDF.'),
  MILLHAND_SELLER_ADDRESS: optional(
    text(
      undefined,
      'Your address on the PDF of invoices; `;` separates its lines, for example `Example Street 1;10115 Berlin`.',
    ),
  ),
  MILLHAND_SELLER_TAX_ID: optional(
    text(undefined, 'Your tax number on the PDF of invoices, with its kind, for example `VAT DE123456789`.'),
  ),
  ...paymentVariables,

  MILLHAND_MONGO_URL: mongoUrl('The URL of the MongoDB database, including its name.'),
  MILLHAND_KAFKA_BROKERS: hostPorts('The bootstrap addresses of Kafka.'),
  MILLHAND_KAFKA_USER: optional(
    text(undefined, 'The SASL user name of this process at Kafka. Without it the process does not authenticate.'),
  ),
  MILLHAND_KAFKA_PASSWORD: optional(secret('The SASL password of this process at Kafka.')),
  MILLHAND_KAFKA_SASL: oneOf('plain', 'The SASL mechanism, if there is a user.', [
    'plain',
    'scram-sha-256',
    'scram-sha-512',
  ]),
  MILLHAND_KAFKA_TLS: boolean(false, 'Whether connections to Kafka use TLS.'),
  MILLHAND_KAFKA_CA: optional(
    path(undefined, 'The CA certificates (PEM) of the brokers, if the system does not trust them already.'),
  ),
  MILLHAND_KAFKA_PREFIX: optional(
    text(undefined, 'A prefix for the names of all topics and groups, for deployments that share a broker.'),
  ),
  MILLHAND_KAFKA_PARTITIONS: integer(6, 'The number of partitions of a new topic.', { min: 1, max: 1_000 }),
  MILLHAND_KAFKA_REPLICATION: integer(1, 'The replication factor of a new topic.', { min: 1, max: 9 }),
  ...urlVariables,
  MILLHAND_ADVERTISE_URL: optional(
    url('The URL at which other replicas reach this one. By default it is derived from `MILLHAND_GRPC_ADDR`.'),
  ),
  MILLHAND_SERVICE_TOKEN: secret(
    'The token that identifies this service to others and lists the methods that it may call. Create it with `pnpm serve credentials <service>`.',
  ),
  MILLHAND_TRUSTED_KEYS: publicKeys(
    'The public keys whose tokens this process accepts. They are not secret. Set two keys, old and new, during a change of the operator’s secret.',
  ),
  MILLHAND_TLS_CERT: optional(
    path(undefined, 'The certificate (PEM) of this process, presented to its clients and servers.'),
  ),
  MILLHAND_TLS_KEY: optional(path(undefined, 'The private key (PEM) of the certificate.')),
  MILLHAND_TLS_CA: optional(
    path(undefined, 'The CA (PEM) that signs the certificates of all processes. Other certificates are rejected.'),
  ),
} as const satisfies Schema

/** A schema with the named settings. */
export function pick<const Name extends keyof typeof variables>(
  ...names: readonly Name[]
): Pick<typeof variables, Name> {
  return Object.fromEntries(names.map(name => [name, variables[name]])) as Pick<typeof variables, Name>
}

/** The same setting, without which the process does not start. */
export function required<T>({ optional: _, ...rest }: Setting<T | undefined>): Setting<T> {
  return rest as Setting<T>
}

const { default: _, ...metricsAddress } = variables.MILLHAND_METRICS_ADDR

/** Of a process of several: each that is to serve metrics is given an address of its own. */
export const metricsVariables = { MILLHAND_METRICS_ADDR: optional(metricsAddress) }

/** Everything that can be set, for all processes. `docs/operating.md` shows it; a test holds it to it. */
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
} from '@millhand/runner'
import { levels } from '@millhand/telemetry'
import { urlVariables } from './addresses.ts'
import {
  addressRanges,
  apiKey,
  baseUrl,
  hostPorts,
  modelServer,
  mongoUrl,
  planNames,
  publicKeys,
  url,
} from './forms.ts'

export const variables = {
  MILLHAND_HTTP_ADDR: address('127.0.0.1:8080', 'Where REST is served. Port 0 takes a free one.'),
  MILLHAND_GRPC_ADDR: address('127.0.0.1:8081', 'Where gRPC, gRPC-Web and Connect are served, over HTTP/2.'),
  MILLHAND_METRICS_ADDR: address('127.0.0.1:9464', 'Where metrics are served, as `/metrics`.'),
  MILLHAND_DATA_DIR: path('.millhand', 'The folder that holds everything: tasks, events, inputs, keys.'),
  MILLHAND_MODELS_DIR: optional(path(undefined, 'A folder of your own models, each a folder with `model.json`.')),
  MILLHAND_LOG_LEVEL: oneOf('info', 'What is logged, on standard error.', levels),
  MILLHAND_KEY: optional(secret('What the examples call the key that you call with. The server does not read it.')),
  MILLHAND_BOOTSTRAP_KEY: optional(
    apiKey('live', 'The first account’s live key, instead of the one made at the first start.'),
  ),
  MILLHAND_BOOTSTRAP_TEST_KEY: optional(apiKey('test', 'The first account’s test key, likewise.')),
  MILLHAND_BOOTSTRAP_PLANS: optional(
    planNames('The first account’s plans, when it is made; `enterprise` where it names none of a family.'),
  ),
  MILLHAND_PLANS_FILE: optional(
    path(undefined, 'Your own file of plans, instead of `deploy/plans.yaml`. The same for all processes.'),
  ),
  MILLHAND_SECRET_KEY: optional(
    secret('Seals cursors and stored secrets, instead of the one made at the first start.', { minLength: 32 }),
  ),
  MILLHAND_SANDBOX: oneOf(
    'auto',
    'The wall that the operating system puts around each process that reads foreign bytes: `auto` the best that the machine has, `required` no start without bubblewrap, `off` none but Node’s permission model.',
    ['auto', 'required', 'off'],
  ),
  MILLHAND_EXECUTOR_SLOTS: optional(
    integer(
      undefined,
      'How many runs of models at once; 0 runs none, nor the sandbox. Else as many as there are cores, at least 2.',
      {
        min: 0,
        max: 64,
      },
    ),
  ),
  MILLHAND_MODEL_MEMORY_MB: integer(2_048, 'What the process of one model may hold; beyond it, it is stopped.', {
    min: 256,
    max: 1_048_576,
    unit: 'MiB',
  }),
  MILLHAND_MODELS_MEMORY_MB: integer(4_096, 'What all of them may hold before idle ones are unloaded.', {
    min: 256,
    max: 1_048_576,
    unit: 'MiB',
  }),
  MILLHAND_MODEL_THREADS: optional(
    integer(undefined, 'How many threads the process of one model computes with. Else as many as there are cores.', {
      min: 1,
      max: 1_024,
    }),
  ),
  MILLHAND_ENGINE_SLOTS: optional(
    integer(
      undefined,
      'How many tasks of the workforce at once; 0 runs none. Else as many as `MILLHAND_EXECUTOR_SLOTS`, which at 0 runs none of these either, and without a language or image model at most one fewer than there are cores, so that one is left for who answers.',
      { min: 0, max: 64 },
    ),
  ),
  MILLHAND_ENGINE_MEMORY_MB: integer(1_024, 'What a process of the workforce may hold; beyond it, it is stopped.', {
    min: 256,
    max: 1_048_576,
    unit: 'MiB',
  }),
  MILLHAND_ENGINES_MEMORY_MB: optional(
    integer(
      undefined,
      'What all of them may hold before idle ones are ended. Else a quarter of the machine’s memory, at least 2048; one of each kind takes 3400.',
      { min: 256, max: 1_048_576, unit: 'MiB' },
    ),
  ),
  MILLHAND_LLM_URL: optional(
    modelServer(
      'A server of language models that speaks OpenAI’s chat completions, up to `/v1`. Without it, work that needs one is refused.',
    ),
  ),
  MILLHAND_LLM_MODEL: text('default', 'The model that it is asked for.'),
  MILLHAND_LLM_KEY: optional(secret('Its key.')),
  MILLHAND_LLM_GGUF: optional(
    path(
      undefined,
      'A language model to run here, instead of a server: a file of the form GGUF, with the optional package `node-llama-cpp`.',
    ),
  ),
  MILLHAND_LLM_MEMORY_MB: integer(4_096, 'What its process may hold beside the file; beyond it, it is started again.', {
    min: 256,
    max: 1_048_576,
    unit: 'MiB',
  }),
  MILLHAND_LLM_THREADS: optional(
    integer(undefined, 'How many threads it computes with. Else one fewer than there are cores, at least 1.', {
      min: 1,
      max: 1_024,
    }),
  ),
  MILLHAND_LLM_INPUT_MICROS: integer(0, 'The price of a million tokens that it reads.', {
    min: 0,
    max: 1_000_000_000,
    unit: 'millionths of a dollar',
  }),
  MILLHAND_LLM_OUTPUT_MICROS: integer(0, 'The price of a million tokens that it writes.', {
    min: 0,
    max: 1_000_000_000,
    unit: 'millionths of a dollar',
  }),
  MILLHAND_EMBEDDING_MODEL: optional(
    path(undefined, 'A model of what sentences mean: a folder with its `model.onnx` and `tokenizer.json`.'),
  ),
  MILLHAND_IMAGE_URL: optional(
    modelServer(
      'A server of image models that speaks OpenAI’s images and answers with `b64_json`, up to `/v1`. Without it, photographs are refused.',
    ),
  ),
  MILLHAND_IMAGE_MODEL: text('default', 'The model that it is asked for.'),
  MILLHAND_IMAGE_KEY: optional(secret('Its key.')),
  MILLHAND_IMAGE_MICROS: integer(0, 'The price of a picture that it makes.', {
    min: 0,
    max: 1_000_000_000,
    unit: 'millionths of a dollar',
  }),
  MILLHAND_OWNER_LEASE_S: integer(
    10,
    'How long the owner of a service may be silent before another replica takes over. The same for all replicas.',
    { min: 2, max: 60, unit: 'seconds' },
  ),
  MILLHAND_RETENTION_DAYS: integer(30, 'How long an ended task and its data are kept.', {
    min: 1,
    max: 3_650,
    unit: 'days',
  }),
  MILLHAND_STORAGE_QUOTA_MB: integer(10_240, 'What the files of an account may hold; as much again in test mode.', {
    min: 1,
    max: 1_073_741_824,
    unit: 'MiB',
  }),
  MILLHAND_DISK_RESERVE_MB: integer(
    16,
    'Room kept on the disk of `MILLHAND_DATA_DIR` for revocations, cancels and ends of tasks; at most a sixteenth of the disk.',
    { min: 1, max: 1_048_576, unit: 'MiB' },
  ),
  MILLHAND_MAX_STREAMS: integer(
    5_000,
    'How many event streams of an account a gateway keeps open at once; as many again in test mode.',
    { min: 1, max: 1_000_000 },
  ),
  MILLHAND_DRAIN_SECONDS: integer(
    5,
    'How long a process that is told to stop serves on while it says that it is not ready: load balancers have to notice meanwhile.',
    { min: 0, max: 300, unit: 'seconds' },
  ),
  MILLHAND_MAX_WAITS: integer(
    1_000,
    'How many requests with `Prefer: wait` of an account a gateway keeps waiting at once; as many again in test mode.',
    { min: 1, max: 1_000_000 },
  ),
  MILLHAND_MAX_REQUESTS: integer(
    2_000,
    'How many requests of an account a gateway answers at once, event streams not counted; as many again in test mode.',
    { min: 1, max: 1_000_000 },
  ),
  MILLHAND_MAX_BODY_MB: integer(
    64,
    'What the bodies of an account’s requests may hold of a gateway’s memory at once; as much again in test mode.',
    { min: 1, max: 1_048_576, unit: 'MiB' },
  ),
  MILLHAND_PUBLIC_URL: optional(
    baseUrl('Where callers reach the gateway: links in answers begin with it. Else with the `Host` of each request.'),
  ),
  MILLHAND_SECURITY_CONTACT: optional({
    doc: 'Who is told of a hole in security: `/.well-known/security.txt` names it.',
    form: 'a URI of mailto: or https:',
    read: written => (/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(written) ? written : undefined),
  }),
  MILLHAND_WEBHOOK_ALLOW: optional(
    addressRanges(
      'Where webhooks may go beyond the public internet, and by plain `http`: your own networks, if at all.',
    ),
  ),
  MILLHAND_USAGE_ENTRY_DAYS: integer(
    35,
    'How long what each task used is kept, from when its hour was summed. Sums stay.',
    { min: 1, max: 3_650, unit: 'days' },
  ),
  MILLHAND_CPU_SECOND_MICROS: integer(20, 'The price of a second of compute.', {
    min: 0,
    max: 1_000_000_000,
    unit: 'millionths of a dollar',
  }),

  MILLHAND_MONGO_URL: mongoUrl('The MongoDB database, with its name.'),
  MILLHAND_KAFKA_BROKERS: hostPorts('Kafka’s bootstrap addresses.'),
  MILLHAND_KAFKA_USER: optional(text(undefined, 'Who this process is to Kafka (SASL). Without it: nobody.')),
  MILLHAND_KAFKA_PASSWORD: optional(secret('Its password.')),
  MILLHAND_KAFKA_SASL: oneOf('plain', 'The mechanism of SASL, where there is a user.', [
    'plain',
    'scram-sha-256',
    'scram-sha-512',
  ]),
  MILLHAND_KAFKA_TLS: boolean(false, 'Whether Kafka is reached by TLS.'),
  MILLHAND_KAFKA_CA: optional(
    path(undefined, 'Who signs the brokers’ certificates, PEM, where the system does not know it.'),
  ),
  MILLHAND_KAFKA_PREFIX: optional(
    text(undefined, 'Stands before the name of every topic and group, where several deployments share a broker.'),
  ),
  MILLHAND_KAFKA_PARTITIONS: integer(6, 'How many partitions a topic is made with.', { min: 1, max: 1_000 }),
  MILLHAND_KAFKA_REPLICATION: integer(1, 'How many brokers hold each partition of a topic that is made.', {
    min: 1,
    max: 9,
  }),
  ...urlVariables,
  MILLHAND_ADVERTISE_URL: optional(
    url('Where other replicas reach this one. Else it is made of `MILLHAND_GRPC_ADDR`.'),
  ),
  MILLHAND_SERVICE_TOKEN: secret(
    'Says to others which service this is, and what it may call: `pnpm serve credentials <service>` makes it.',
  ),
  MILLHAND_TRUSTED_KEYS: publicKeys(
    'Whose tokens are good here; no secret. Two while the secret is changed, the old one’s and the new one’s.',
  ),
  MILLHAND_TLS_CERT: optional(
    path(undefined, 'The certificate of this process, PEM: it is shown to whoever calls, and called.'),
  ),
  MILLHAND_TLS_KEY: optional(path(undefined, 'Its private key, PEM.')),
  MILLHAND_TLS_CA: optional(path(undefined, 'Who signs the certificates of all processes, PEM: others are refused.')),
} as const satisfies Schema

/** Some of them, as a schema. */
export function pick<const Name extends keyof typeof variables>(
  ...names: readonly Name[]
): Pick<typeof variables, Name> {
  return Object.fromEntries(names.map(name => [name, variables[name]])) as Pick<typeof variables, Name>
}

/** The same variable, that has to be set. */
export function required<T>({ optional: _, ...rest }: Setting<T | undefined>): Setting<T> {
  return rest as Setting<T>
}

/** The same variable, which is nothing where it is not set. */
export function withoutDefault<T>({ default: _, ...rest }: Setting<T>): Setting<T | undefined> {
  return optional(rest)
}

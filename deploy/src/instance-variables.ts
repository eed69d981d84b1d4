/** The settings of what runs instances. */
import { integer, oneOf, optional, path, type Schema, text, urls } from '@millhand/process'
import { labelName, labelValue, namePrefix, nodeLabels, replicaSizes, words } from './setting-types.ts'

export const instanceVariables = {
  MILLHAND_INSTANCE_DRIVER: oneOf(
    'none',
    'What runs the replicas of instances. `none` rejects instances of live keys, `docker` uses Docker engines, `kubernetes` a cluster, and `mock` runs nothing and says that it does, for trials. The sandbox has its own.',
    ['none', 'docker', 'kubernetes', 'mock'],
  ),
  MILLHAND_INSTANCE_SIZES: replicaSizes(
    'cpu=1x2048',
    'What a replica of each GPU type may take of its host: processors and memory in MiB. `cpu` is one without a GPU. A type that is not listed runs nowhere.',
  ),
  MILLHAND_INSTANCE_REGISTRIES: optional(
    words(
      'The registries whose images may run, or parts of one, for example `docker.io/library,ghcr.io/acme`. By default any may that has a name with a domain.',
    ),
  ),
  MILLHAND_INSTANCE_PRELOADED: optional(
    words(
      'References of images that you have put on the hosts. They run without a pull, and every account may run them.',
    ),
  ),
  MILLHAND_DOCKER_IMAGE_GB: integer(
    50,
    'The most GB that an image may have that is pulled, unpacked. One that has more is given up as soon as that is known, and removed.',
    { min: 1, max: 10_000 },
  ),
  MILLHAND_DOCKER_HOST: optional(
    urls('The Docker engines on which replicas run. By default that of `DOCKER_HOST`.', ['unix:', 'tcp:']),
  ),
  MILLHAND_DOCKER_CERT_PATH: optional(
    path(
      undefined,
      'A folder with `ca.pem`, `cert.pem` and `key.pem`, for engines that are reached by `tcp:`. They are reached with certificates only.',
    ),
  ),
  MILLHAND_DOCKER_DEPLOYMENT: text(
    'millhand',
    'What tells the containers of this deployment from those of others on the same engines.',
  ),
  MILLHAND_DOCKER_PUBLIC_NETWORK: optional(
    text(undefined, 'The network of the hosts on which ports are published. Without it instances can publish none.'),
  ),
  MILLHAND_KUBECONFIG: optional(
    path(
      undefined,
      'A configuration file (kubeconfig) of the cluster on which replicas run. By default the service account of the pod in which the instance service runs.',
    ),
  ),
  MILLHAND_KUBERNETES_DEPLOYMENT: labelValue(
    'millhand',
    'What tells the pods of this deployment from those of others on the same cluster.',
  ),
  MILLHAND_KUBERNETES_NAMESPACE_PREFIX: namePrefix(
    'millhand-',
    'What the names of the namespaces begin with that are made for accounts, one for each account and mode.',
  ),
  MILLHAND_KUBERNETES_NODES: optional(
    nodeLabels('The labels of the nodes on which replicas run. By default they run on any node that takes pods.'),
  ),
  MILLHAND_KUBERNETES_GPU_LABEL: labelName(
    'nvidia.com/gpu.product',
    'The label of nodes that has their GPU type. The type is its value in small letters, with a hyphen for each character but letters, digits, `_` and `-`.',
  ),
  MILLHAND_KUBERNETES_ACCOUNT_PODS: integer(
    256,
    'The most pods in one namespace: a second bound behind the plans’ `max_replicas`.',
    { min: 1, max: 100_000 },
  ),
  MILLHAND_EXECUTOR_IMAGE: optional(
    text(
      undefined,
      'The image whose instances are executors: they run tasks of the account that creates them. Needs `MILLHAND_EXECUTOR_COMPUTE_URL` and `MILLHAND_DOCKER_EXECUTOR_NETWORK`.',
    ),
  ),
  MILLHAND_EXECUTOR_COMPUTE_URL: optional(
    urls('The gRPC address of compute from that network, with an IP address: there is no DNS.', ['http:', 'https:']),
  ),
  MILLHAND_DOCKER_EXECUTOR_NETWORK: optional(
    text(undefined, 'The network of the hosts from which such executors reach that address, and nothing else.'),
  ),
  DOCKER_HOST: text(
    'unix:///var/run/docker.sock',
    'Docker’s own variable: the engine on which replicas run where `MILLHAND_DOCKER_HOST` is not set.',
  ),
} as const satisfies Schema

/** Why the engine has refused: it says so in prose alone. */
import { DriverFault, type FaultReason } from '../driver.ts'
import { EngineError } from './engine.ts'

type Rule = readonly [RegExp, FaultReason, string]

const PULL: readonly Rule[] = [
  [
    /unauthorized|authentication required|no basic auth|incorrect username/i,
    'image_denied',
    'The registry refuses the credential.',
  ],
  [
    /manifest unknown|not found|does not exist|no matching manifest/i,
    'image_not_found',
    'The registry does not have the image, or asks for a credential.',
  ],
  [/denied/i, 'image_denied', 'The registry denies access to the image.'],
  [/no space left/i, 'no_capacity', 'The host has no space for the image.'],
  [/invalid reference|invalid repository|repository name/i, 'image_not_found', 'The image is not a valid reference.'],
  [
    /dial tcp|no such host|timeout|refused|EOF|TLS|x509|toomanyrequests|server error/i,
    'registry_unavailable',
    'The registry does not answer.',
  ],
]

const START: readonly Rule[] = [
  [/port is already allocated|address already in use/i, 'port_taken', 'A port that the replica asks for is taken.'],
  [/no such image/i, 'image_not_found', 'The image is not there.'],
  [/quota|size.*not supported|unknown option|invalid option/i, 'volume_unsupported', 'The host cannot bound a volume.'],
  [/non-overlapping|could not find an available/i, 'no_capacity', 'The host has no network left.'],
  [/no space left/i, 'no_capacity', 'The host has no space left.'],
  [/device driver|nvidia|unknown device/i, 'no_capacity', 'The GPU is not usable.'],
  [
    /no command specified|executable file not found|starting container process|exec format|exec:/i,
    'command_not_found',
    'The command is not in the image, or cannot be executed.',
  ],
]

/** Of an answer of `POST /images/create`, or of a message in its progress. */
export const pullFault = (error: unknown): unknown => faultBy(PULL, error)

/** Of the calls that make a container and start it. */
export const startFault = (error: unknown): unknown => faultBy(START, error)

/** The engine's own words may name the host's files: they are the cause, for the log. */
function faultBy(rules: readonly Rule[], error: unknown): unknown {
  if (!(error instanceof EngineError)) return error
  const [, reason, message] = rules.find(([pattern]) => pattern.test(error.message)) ?? NO_RULE
  return new DriverFault(reason, message, { cause: error })
}

const NO_RULE = [/./, 'engine_error', 'The container engine refuses the replica.'] as const

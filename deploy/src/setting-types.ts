/** Forms of settings that only this service has. */
import { families, hasValidChecksum, type KeyMode, modeOfKey, type PlanNames } from '@millhand/api'
import { type AddressRanges, parseRanges } from '@millhand/dial'
import type { ReplicaSize, ReplicaSizes } from '@millhand/instance/replica-size'
import { type Accelerator, accelerators, providers } from '@millhand/model'
import { type Secret, type Setting, secret } from '@millhand/process'
import { isPublicKey } from '@millhand/rpc/network'

/** An API key of a mode, as `createApiKey` makes them: a slip of the pen stops the start, not the first call. */
export const apiKey = (mode: KeyMode, doc: string): Setting<Secret> =>
  secretIn(
    doc,
    `an API key of \`mh_${mode}_\` and 36 characters, the last 6 of them its checksum`,
    written => hasValidChecksum(written) && modeOfKey(written) === mode,
  )

/** A key that may make calls, which a publishable key of Stripe (`pk_…`) may not. */
export const stripeKey = (doc: string): Setting<Secret> =>
  secretIn(doc, 'a secret key (`sk_live_…`, `sk_test_…`) or a restricted key (`rk_…`) of Stripe', written =>
    /^[sr]k_(live|test)_\w+$/.test(written),
  )

export const stripeWebhookSecret = (doc: string): Setting<Secret> =>
  secretIn(doc, 'the signing secret of a webhook endpoint of Stripe: `whsec_…`', written => /^whsec_\S+$/.test(written))

/** A secret that is known by its form. */
function secretIn(doc: string, form: string, isOne: (written: string) => boolean): Setting<Secret> {
  const any = secret(doc)
  return { ...any, form, read: written => (isOne(written) ? any.read(written) : undefined) }
}

/** A plan of each family that it names. Which there are, the file of plans says. */
export function planNames(doc: string): Setting<Partial<PlanNames>> {
  return {
    doc,
    form: 'plans by family, for example compute:starter,developer:free,workforce:starter',
    read(written) {
      const pairs = written.split(',').map(item => item.trim().split(':'))
      const named = pairs.map(([family]) => family)
      const isRead =
        pairs.every(([family, plan, ...more]) => families.some(each => each === family) && plan && more.length === 0) &&
        new Set(named).size === named.length
      return isRead ? Object.fromEntries(pairs) : undefined
    },
  }
}

/** What models may run on beside the processor. */
export function providerNames(doc: string): Setting<readonly Accelerator[]> {
  return {
    doc,
    default: 'auto',
    form: '`auto`, or some of cpu, webgpu and cuda, with commas between them',
    read(written) {
      if (written === 'auto') return accelerators
      const named = written.split(',').map(item => item.trim())
      const isRead = named.every(name => providers.some(each => each === name))
      return isRead ? accelerators.filter(name => named.includes(name)) : undefined
    },
  }
}

export function addressRanges(doc: string): Setting<AddressRanges> {
  return {
    doc,
    form: 'ranges of addresses in CIDR, with commas between them',
    read(written) {
      try {
        return parseRanges(written)
      } catch {
        return undefined
      }
    },
  }
}

export function url(doc: string): Setting<string> {
  return {
    doc,
    form: 'a URL of http: or https:',
    read: written => (URL.canParse(written) && /^https?:/.test(written) ? written : undefined),
  }
}

/** A scheme, a host and perhaps a port: nothing else of the URL would be used. */
export function origin(preset: string, doc: string): Setting<URL> {
  return {
    doc,
    default: preset,
    form: `a URL of http: or https: without a path, for example ${preset}`,
    read: written =>
      /^https?:\/\/[^\s/?#@]+\/?$/.test(written) && URL.canParse(written) ? new URL(written) : undefined,
  }
}

/** An address before which nothing stands and behind which paths are put. */
export function baseUrl(doc: string): Setting<string> {
  return {
    doc,
    form: 'a URL of http: or https:, for example https://api.example.com',
    read(written) {
      if (!/^https?:\/\/[^\s?#]+$/.test(written) || !URL.canParse(written)) return undefined
      return written.replace(/\/+$/, '')
    },
  }
}

/** It may hold a password, so it is shown nowhere. */
export function mongoUrl(doc: string): Setting<string> {
  return {
    doc,
    form: 'a URL such as mongodb://host:27017/millhand, that ends with the database’s name',
    secret: true,
    read: written => (/^mongodb(\+srv)?:\/\/[^/]+\/[^/?]+/.test(written) ? written : undefined),
  }
}

/** Those of `pnpm serve credentials`, with commas between them. */
export function publicKeys(doc: string): Setting<readonly string[]> {
  return {
    doc,
    form: 'one or more public keys of `pnpm serve credentials`, with commas between them',
    read(written) {
      const all = written.split(',').map(item => item.trim())
      return all.every(isPublicKey) ? all : undefined
    },
  }
}

/** Up to `/v1`; what follows is the protocol's. */
export function modelServer(doc: string): Setting<string> {
  return {
    doc,
    form: 'a URL of http: or https:',
    read: written => (/^https?:\/\/[^\s/]+\S*$/.test(written) ? written.replace(/\/+$/, '') : undefined),
  }
}

/** Words without spaces, with commas between them. */
export function words(doc: string): Setting<readonly string[]> {
  return {
    doc,
    form: 'one or more words, with commas between them',
    read(written) {
      const all = written.split(',').map(item => item.trim())
      return all.every(item => /^\S+$/.test(item)) ? all : undefined
    },
  }
}

const LABEL = '(?:[a-z0-9.-]{1,253}/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?'
const LABEL_VALUE = '[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?'

/** A text of a form that is checked whole. */
const matching = (doc: string, form: string, pattern: RegExp, preset?: string): Setting<string> => ({
  ...{ doc, form, ...(preset !== undefined && { default: preset }) },
  read: written => (pattern.test(written) ? written : undefined),
})

/** The name of a label of Kubernetes. */
export const labelName = (preset: string, doc: string): Setting<string> =>
  matching(doc, 'the name of a label', new RegExp(`^${LABEL}$`), preset)

/** The value of a label of Kubernetes. */
export const labelValue = (preset: string, doc: string): Setting<string> =>
  matching(doc, 'at most 63 letters, digits, hyphens, dots and underscores', new RegExp(`^${LABEL_VALUE}$`), preset)

/** What names of Kubernetes begin with. */
export const namePrefix = (preset: string, doc: string): Setting<string> =>
  matching(doc, 'at most 40 small letters, digits and hyphens, a letter first', /^[a-z][a-z0-9-]{0,39}$/, preset)

/** Labels that a node of Kubernetes has. */
export function nodeLabels(doc: string): Setting<Readonly<Record<string, string>>> {
  return {
    doc,
    form: 'label=value, with commas between them, for example example.com/pool=instances',
    read(written) {
      const pairs = written.split(',').map(item => item.trim())
      const pattern = new RegExp(`^${LABEL}=${LABEL_VALUE}$`)
      if (!pairs.every(pair => pattern.test(pair))) return undefined
      return Object.fromEntries(pairs.map(pair => pair.split('=')))
    },
  }
}

const MOST_PROCESSES = 1_024

/** What a replica of each type may take. One of `cpu` is needed. */
export function replicaSizes(preset: string, doc: string): Setting<ReplicaSizes> {
  return {
    default: preset,
    doc,
    form: 'type=<processors>x<MiB>, with commas between them, for example cpu=1x2048,nvidia-h200=16x131072',
    read(written) {
      const sizes: Record<string, ReplicaSize> = {}
      for (const item of written.split(',')) {
        const [, type, cpus, mebibytes] =
          /^\s*([a-z0-9][a-z0-9_-]{0,63})=(\d{1,3}(?:\.\d{1,2})?)x(\d{1,7})\s*$/.exec(item) ?? []
        const isBounded = Number(cpus) >= 0.01 && Number(mebibytes) >= 16
        if (type === undefined || !isBounded || Object.hasOwn(sizes, type)) return undefined
        sizes[type] = { cpus: Number(cpus), memoryBytes: Number(mebibytes) * 2 ** 20, pids: MOST_PROCESSES }
      }
      return Object.hasOwn(sizes, 'cpu') ? sizes : undefined
    },
  }
}

/** `host:port`, with commas between them. */
export function hostPorts(doc: string): Setting<readonly string[]> {
  const form = 'one or more of host:port, with commas between them'
  return {
    doc,
    form,
    read(written) {
      const all = written.split(',').map(item => item.trim())
      return all.every(item => /^[^\s:/]+:\d{1,5}$/.test(item)) ? all : undefined
    },
  }
}

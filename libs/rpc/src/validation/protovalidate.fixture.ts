/** Protovalidate with RE2, in the words of REST: what the generated checks are held against. */
import { type DescField, type DescMessage, getOption, type Message, type MessageShape } from '@bufbuild/protobuf'
import { type Path, type ReflectList, type ReflectMap, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import { createValidator, type Violation } from '@bufbuild/protovalidate'
import {
  FieldRulesSchema,
  message as messageRules,
  field as rules,
} from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { type Fault, isWithin, maxFaults, shownPath } from '@millhand/api'
import {
  type NumberRules,
  noneOf,
  rangeOf,
  rangeWords,
  requiredWords,
  ruleWords,
  severalOf,
  type Words,
} from './rule-words.ts'

const validator = createValidator()

/** As `violations` gives them. What is far over a bound of size is that one fault. */
export function expectedFaults<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): Fault[] {
  const result = validator.validate(desc, message)
  if (result.kind === 'valid') return []
  if (result.kind === 'error') throw result.error
  const all = result.violations.map(violation => ({
    path: pathOf(violation.field),
    isOversize: isOversize(violation, desc, message),
    violation,
  }))
  const oversize = all.filter(fault => fault.isOversize)
  return all
    .filter(fault => !oversize.some(whole => whole !== fault && isPartOf(fault, whole)))
    .slice(0, maxFaults + 1)
    .map(({ violation, path }) => faultOf(violation, path, desc, message))
}

interface Found {
  readonly path: string
  readonly violation: Violation
}

/** A key and its value have one path, and are two things. */
const isPartOf = (fault: Found, whole: Found) =>
  fault.path === whole.path
    ? fault.violation.forKey === whole.violation.forKey
    : isWithin(fault.path, whole.path) && !whole.violation.forKey

function isOversize({ ruleId, rule, field }: Violation, desc: DescMessage, message: Message): boolean {
  if (ruleId === 'repeated.max_items' || ruleId === 'map.max_pairs') return true
  if (ruleId !== 'string.max_len' && ruleId !== 'string.max_bytes') return false
  const last = field.findLast(step => step.kind === 'field')
  const most = Number(valueAt(FieldRulesSchema, getOption(last as DescField, rules), rule))
  const value = valueAt(desc, message, field) as string
  return value.length > (ruleId === 'string.max_len' ? 2 * most : most)
}

function faultOf(violation: Violation, path: string, desc: DescMessage, message: Message): Fault {
  const param = shownPath(path)
  const named = ({ code, says }: Words): Fault => ({
    param,
    code,
    message: `${violation.forKey ? 'The key in ' : ''}\`${param}\` ${says}.`,
  })
  if (violation.ruleId === 'message.oneof') return choiceFault(violation, desc)
  const field = violation.field.findLast(step => step.kind === 'field')
  if (violation.ruleId === 'required') {
    return named(requiredWords(violation.field.at(-1)?.kind === 'oneof' ? undefined : field))
  }
  if (field === undefined || !/\.(gte?|lte?|gte?_lte?)$/.test(violation.ruleId)) {
    return named(ruleWords(violation.ruleId, violation.message, field))
  }
  const numeric = valueAt(FieldRulesSchema, getOption(field, rules), violation.rule.slice(0, -1)) as ReflectMessage
  const range = rangeOf(numeric.message as Message & NumberRules)
  const value = valueAt(desc, message, violation.field) as number
  const { low } = range
  const isLow = low !== undefined && (low.isExclusive ? value <= low.value : value < low.value)
  return named({ code: isLow ? 'min' : 'max', says: rangeWords(range) })
}

/** None or several of the fields of which one is needed. The violation has their names in its words, and says it of the message. */
function choiceFault({ message, field }: Violation, desc: DescMessage): Fault {
  const parent = field.findLast(step => step.kind === 'field')?.message ?? desc
  const { oneof } = getOption(parent, messageRules)
  const names = oneof.find(rule => message.includes(rule.fields.join(', ')))?.fields ?? []
  const path = pathOf(field)
  const at = (name = '') => (path === '' ? name : `${path}.${name}`)
  if (message.startsWith('one of')) {
    const { code, says } = noneOf(names)
    return { param: at(names[0]), code, message: `\`${at(names[0])}\` ${says}.` }
  }
  const { code, says } = severalOf(names)
  return { param: at(names.at(-1)), code, message: `${says}.` }
}

/** `tasks[3].model`, `metadata.key`: as a reader of JSON names them; `metadata[]` for the empty key. */
function pathOf(path: Path): string {
  let text = ''
  for (const step of path) {
    if (step.kind === 'list_sub') text += `[${step.index}]`
    else if (step.kind === 'map_sub') text += step.key === '' ? '[]' : `.${step.key}`
    else text += `${text === '' ? '' : '.'}${step.name}`
  }
  return text
}

function valueAt<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>, path: Path): unknown {
  let at: unknown = reflect(desc, message)
  for (const step of path) {
    if (step.kind === 'field') at = (at as ReflectMessage).get(step)
    else if (step.kind === 'list_sub') at = (at as ReflectList).get(step.index)
    else if (step.kind === 'map_sub') at = (at as ReflectMap).get(step.key)
  }
  return at
}

/** The state of each task of a batch, as one character in a text: events come often, and what they change is small. */
import type { CollectionSpec, Document } from '@millhand/store'
import type { ItemKind } from './item-kind.ts'

/** `waiting` is a task that is not made yet, which callers see as queued. */
export type ItemState =
  | 'waiting'
  | 'queued'
  | 'running'
  | 'cancelling'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'expired'

export type ItemCounts = Readonly<Record<Exclude<ItemState, 'waiting'>, number>>

/** The document of a batch's items. It is there from when the first of its tasks is made until the batch has ended. */
export interface BatchItems extends Document {
  /** A character for each item, in the order of the batch. */
  readonly states: string
  /** So many items, the first ones, have been made. */
  readonly made: number
  /** Where the line of the next one begins in the blob, in bytes. */
  readonly offset: number
  /** Of a batch with tasks of employees: a character for each item that is made or was asked for, `w` for theirs. */
  readonly kinds?: string | undefined
  /** Why items could not be made that were accepted, in their order. */
  readonly refusals: readonly RefusedItems[]
}

/** Items in a row that were refused for the same reason. */
interface RefusedItems extends Refusal {
  readonly from: number
  /** The index after the last of them. */
  readonly to: number
}

/** Why an item was not made. */
export interface Refusal {
  readonly code: string
  readonly message: string
}

export const itemsSpec = { name: 'batch_items', indexes: {} } as const satisfies CollectionSpec

const characters: Readonly<Record<ItemState, string>> = {
  waiting: '.',
  queued: 'q',
  running: 'r',
  cancelling: 'c',
  succeeded: 's',
  failed: 'f',
  cancelled: 'x',
  expired: 'e',
}

const all = Object.keys(characters) as ItemState[]
const states = new Map(all.map(state => [characters[state], state]))

const ends: ReadonlySet<ItemState> = new Set(['succeeded', 'failed', 'cancelled', 'expired'])

/** Of a batch of which nothing is made yet. */
export const newItems = (tenant: string, id: string, total: number): BatchItems => ({
  ...{ tenant, id, version: 0 },
  states: characters.waiting.repeat(total),
  made: 0,
  offset: 0,
  refusals: [],
})

/** Why an item was not made, where it was refused. */
export const refusalOf = ({ refusals }: Pick<BatchItems, 'refusals'>, index: number): Refusal | undefined => {
  const found = refusals.find(({ from, to }) => from <= index && index < to)
  return found && { code: found.code, message: found.message }
}

/** The refusals with those of later items, in the order of these. */
export function withRefusals(
  before: BatchItems['refusals'],
  refused: Iterable<readonly [index: number, refusal: Refusal]>,
): BatchItems['refusals'] {
  const refusals = [...before]
  for (const [index, { code, message }] of refused) {
    const last = refusals.at(-1)
    if (last?.to === index && last.code === code && last.message === message)
      refusals[refusals.length - 1] = { ...last, to: index + 1 }
    else refusals.push({ code, message, from: index, to: index + 1 })
  }
  return refusals
}

const isEnd = (state: ItemState): boolean => ends.has(state)

/** The state of one item. Throws where there is no such item. */
export function stateAt({ states: text }: Pick<BatchItems, 'states'>, index: number): ItemState {
  const state = states.get(text.charAt(index))
  if (state === undefined) throw new Error(`item ${index} of a batch has no state`)
  return state
}

/** Which service has an item that is made. */
export const kindAt = ({ kinds }: Pick<BatchItems, 'kinds'>, index: number): ItemKind =>
  kinds?.charAt(index) === 'w' ? 'workforce' : 'compute'

/** The kinds of the items from `made` on, beside those before them. */
export const withKinds = (items: BatchItems, kinds: readonly ItemKind[]): BatchItems => ({
  ...items,
  kinds: (items.kinds ?? '').slice(0, items.made) + kinds.map(kind => (kind === 'workforce' ? 'w' : 'c')).join(''),
})

/** The items after changes. What has ended stays as it is, and nothing that was made becomes unmade: events may come late, and again. */
export function withStates<T extends Pick<BatchItems, 'states'>>(items: T, changes: ReadonlyMap<number, ItemState>): T {
  const { states: before } = items
  let after = ''
  let from = 0
  // A few changes of many items: what lies between them is copied as it is.
  for (const [index, state] of [...changes].sort(([a], [b]) => a - b)) {
    if (index >= before.length || state === 'waiting' || isEnd(stateAt(items, index))) continue
    after += before.slice(from, index) + characters[state]
    from = index + 1
  }
  return { ...items, states: after + before.slice(from) }
}

export function countsOf({ states: text }: Pick<BatchItems, 'states'>): ItemCounts {
  const tally = tallyOf(text)
  const count = (state: ItemState) => tally[characters[state].charCodeAt(0)] ?? 0
  return {
    queued: count('queued') + count('waiting'),
    running: count('running'),
    cancelling: count('cancelling'),
    succeeded: count('succeeded'),
    failed: count('failed'),
    cancelled: count('cancelled'),
    expired: count('expired'),
  }
}

/** How many items are in a state. */
export const countIn = ({ states: text }: Pick<BatchItems, 'states'>, state: ItemState): number =>
  tallyOf(text)[characters[state].charCodeAt(0)] ?? 0

/** By the code of the character. */
function tallyOf(text: string): Uint32Array {
  const tally = new Uint32Array(128)
  for (let index = 0; index < text.length; index++) (tally[text.charCodeAt(index)] as number)++
  return tally
}

/** Whether every item has ended. */
export const haveAllEnded = ({ states: text }: Pick<BatchItems, 'states'>): boolean => !UNENDED.test(text)

const UNENDED = new RegExp(
  `[${all
    .filter(state => !isEnd(state))
    .map(state => characters[state])
    .join('')}]`,
)

/** The indexes of the items in these states. */
export function indexesOf({ states: text }: Pick<BatchItems, 'states'>, ...wanted: readonly ItemState[]): number[] {
  const found: number[] = []
  const looked = new Uint8Array(128)
  for (const state of wanted) looked[characters[state].charCodeAt(0)] = 1
  for (let index = 0; index < text.length; index++) if (looked[text.charCodeAt(index)] === 1) found.push(index)
  return found
}

/** Whatever executors, owners, cancels and readers do, and in whatever order: every reader gets the same. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { codeOf, fail } from '@millhand/api'
import fc from 'fast-check'
import { caller, claim, create, type Replica } from '../replicas.fixture.ts'
import {
  brief,
  emit,
  finish,
  givenStreams,
  lend,
  type Opened,
  once,
  type Run,
  read,
  readAll,
} from './streams.fixture.ts'

/** Steps of a group are under way at the same time. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('emit' as const), count: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('emit late' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('evict' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hand over' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('read' as const), told: fc.nat({ max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose an answer' as const), ofBatch: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stand still' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
const groups = fc.array(fc.array(fc.tuple(step, fc.boolean()), { minLength: 1, maxLength: 4 }), { maxLength: 12 })

export function describeInterleavings(name: string, numRuns: number, open: (folder: string) => Promise<Opened>): void {
  describe(`readers of streams, on ${name}`, () => {
    const on = givenStreams(open)
    /** From one life of a task to the next. */
    let owner: Replica
    let other: Replica

    it('are the same for every reader, in any interleaving', { timeout: 1_800_000 }, () => {
      owner = on.a
      other = on.b
      return fc.assert(
        fc.asyncProperty(groups, async plan => {
          const life = await begin()
          try {
            for (const group of plan) await Promise.all(group.map(([one, atA]) => life.take(one, atA ? on.a : on.b)))
            await life.end()
          } finally {
            life.leave()
          }
        }),
        // One that hangs tells its plan.
        { numRuns, endOnFailure: true, timeout: 300_000 },
      )
    })

    async function begin() {
      const { id } = await create(owner)
      const first = await lend(owner)
      let run: Run | undefined = first
      let stale = first
      let isEmitting = false
      let hasLeft = false
      /** One after the other. */
      let handingOver = Promise.resolve()
      let evicting = Promise.resolve()
      /** What was taken, in its order. */
      const taken: string[] = []
      /** What was refused when it was sent again: it may have been taken before. */
      const unsure = new Set<string>()
      const readers: Promise<readonly unknown[]>[] = []
      const sequences = [0n]
      let said = 0
      /** Emits that have stored their batch and stand still, until they are let go. */
      const still: PromiseWithResolvers<void>[] = []
      const late: Promise<unknown>[] = []
      /** Ends the wait for the answer of one that stands still. */
      let giveUp = () => {}

      /** Asks until there is an answer, as executors do. */
      async function untilAnswered<T>(at: Replica, ask: (at: Replica) => Promise<T>): Promise<T> {
        for (let next = at; !hasLeft; next = next === on.a ? on.b : on.a, await nextTurn()) {
          try {
            return await ask(next)
          } catch (error) {
            if (codeOf(error) !== 'unavailable' && codeOf(error) !== 'internal') throw error
          }
        }
        throw new Error('the test is over')
      }

      async function emitSome(at: Replica, count: number) {
        if (!run || isEmitting) return
        isEmitting = true
        const emitting = run
        const texts = Array.from({ length: count }, () => `${said++}`)
        let tries = 0
        const answer = await untilAnswered(at, async next => {
          tries++
          const sent = { ...emitting }
          const givenUp = new Promise<never>((_, reject) => {
            giveUp = () => reject(fail('unavailable', 'It stands still.'))
          })
          const emitted = emit(next, sent, ...texts)
          late.push(emitted.catch(() => {}))
          const verdict = await Promise.race([emitted, givenUp])
          emitting.from = sent.from
          return verdict
        })
        const outputs = texts.map(text => JSON.stringify(text))
        if (answer === 'stored') taken.push(...outputs)
        else if (tries > 1) for (const output of outputs) unsure.add(output)
        isEmitting = false
      }

      async function endRun(at: Replica, how: 'evicted' | 'cancelled') {
        if (!run) return
        const ending = run
        run = undefined
        stale = ending
        await untilAnswered(at, next => finish(next, ending, how))
      }

      /** Reads from a sequence number, and comes back wherever the stream breaks off. */
      async function readFrom(at: Replica, after: bigint): Promise<readonly unknown[]> {
        const events: unknown[] = []
        let sequence = after
        const comeBack = async (next: Replica) => {
          const reader = read(next, id, sequence)
          try {
            await reader.ended
          } finally {
            events.push(...reader.events.map(brief))
            sequences.push(...reader.events.map(({ sequence }) => sequence))
            sequence = reader.sequence
          }
        }
        await untilAnswered(at, comeBack)
        return [after, events]
      }

      async function take(one: Step, at: Replica): Promise<void> {
        switch (one.kind) {
          case 'emit':
            return await emitSome(at, one.count)
          case 'emit late': {
            const late = { ...stale, from: 0 }
            if (stale !== run) await untilAnswered(at, next => emit(next, late, 'late'))
            return
          }
          case 'evict':
            evicting = evicting.then(async () => {
              await endRun(at, 'evicted')
              run = await claimed()
            })
            return await evicting
          case 'cancel':
            await untilAnswered(at, next => next.tasks.cancelTask({ id }, caller('acct_a')))
            return
          case 'hand over':
            handingOver = handingOver.then(() => {
              ;[owner, other] = [other, owner]
              return on.handOver(other, owner)
            })
            return await handingOver
          case 'read':
            readers.push(readFrom(at, sequences[one.told % sequences.length] ?? 0n))
            readers.at(-1)?.catch(() => {}) // It is looked at in the end.
            return
          case 'lose an answer':
            if (one.ofBatch) once(on.onEmissions, 'after', 'insert', lost)
            else loseCount()
            return
          case 'stand still':
            letGo()
            once(on.onEmissions, 'after', 'insert', standStill)
        }
      }

      /** The same is sent again meanwhile. */
      function standStill(): Promise<void> {
        const going = Promise.withResolvers<void>()
        still.push(going)
        giveUp()
        return going.promise
      }

      const letGo = () => {
        for (const going of still.splice(0)) going.resolve()
      }

      /** Of what a run has emitted: of a change of state the store tells later, which is not part of this. */
      function loseCount() {
        on.onTasks.after = async change => {
          if (change.kind !== 'replace' || !change.document.history.at(-1)?.emitted) return
          on.onTasks.after = undefined
          await lost()
        }
      }

      /** The next run as the store has it, since the answer may get lost; none once the task has ended. */
      async function claimed(): Promise<Run | undefined> {
        for (;;) {
          await claim(owner, 0).catch(() => {})
          const task = await on.stores.tasks.get('acct_a/live', id)
          if (task?.status === 'queued') {
            await on.clock.advance(500)
            continue
          }
          // Somebody may have cancelled it since: its run has to end all the same.
          const isLent = task?.status === 'running' || task?.status === 'cancelling'
          return isLent ? { ...first, id: task.lease_id, attempt: task.attempt, from: 0 } : undefined
        }
      }

      async function end() {
        on.onTasks.after = undefined
        on.onEmissions.after = undefined
        await on.a.tasks.cancelTask({ id }, caller('acct_a'))
        await endRun(owner, 'cancelled')
        letGo()
        await Promise.all(late)
        const all = await readAll(other, id)
        for (const [after, events] of (await Promise.all(readers)) as [bigint, unknown[]][]) {
          assert.deepEqual(
            events,
            all.filter(([sequence]) => numberOf(sequence) > after),
          )
        }
        const outputs = all.map(([, what]) => what).filter(what => what.startsWith('"'))
        assert.deepEqual(
          outputs.filter(output => !unsure.has(output)),
          taken,
        )
        assert.equal(new Set(outputs).size, outputs.length)
        assert.ok(['cancelled', 'failed'].includes(all.at(-1)?.[1] ?? ''))
      }

      const leave = () => {
        hasLeft = true
        letGo()
      }
      return { take, end, leave }
    }
  })
}

async function lost(): Promise<never> {
  throw new Error('the answer was lost')
}

function numberOf(sequence: string): bigint {
  const [version = 0n, n = 0n] = sequence.split('.').map(BigInt)
  return (version << 20n) + n
}

/** The hostile tenant: a process of its own, so that what the neighbour measures is not its work. */
import { setPriority } from 'node:os'
import { attacks, LISTS, type Target } from './attacks.ts'

/** By attack: how many rounds have ended, and how many answers had which status. */
export type Counters = Record<string, { rounds: number; statuses: Record<number, number> }>

// Its own work would be done on another machine: it takes no processor time from the server here.
setPriority(10)
process.on('disconnect', () => process.exit())
process.once('message', (target: Target) => {
  const tally: Counters = Object.fromEntries(Object.keys(attacks).map(name => [name, { rounds: 0, statuses: {} }]))
  const othersBegan = Promise.withResolvers<void>()
  const all = Object.entries(attacks).map(async ([name, attack]) => {
    const counted = tally[name] as Counters[string]
    if (name === LISTS) await othersBegan.promise
    for (let round = 0; ; round++) {
      for (const status of await attack(target, round)) counted.statuses[status] = (counted.statuses[status] ?? 0) + 1
      counted.rounds++
      process.send?.(tally)
      const others = Object.entries(tally).filter(([other]) => other !== LISTS)
      if (others.every(([, { rounds }]) => rounds > 0)) othersBegan.resolve()
    }
  })
  void Promise.all(all)
})

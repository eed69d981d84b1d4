/** What publishing ends in when the log takes some events never, for what they are. It has all the others then. */
export class EventsRefused extends Error {
  /** Why, by event id. */
  readonly reasons: ReadonlyMap<string, string>

  constructor(reasons: ReadonlyMap<string, string>) {
    super(`the log refuses ${[...reasons].map(([id, reason]) => `${id}: ${reason}`).join('; ')}`)
    this.name = 'EventsRefused'
    this.reasons = reasons
  }
}

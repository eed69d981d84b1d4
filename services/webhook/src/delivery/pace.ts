/**
 * How many posts an endpoint gets at once, so that a slow or dead one delays no other. It is memory of the owner: who
 * takes over learns it anew, post by post.
 *
 * Whoever is not known answers to one post at a time, twice as many after each success. After a failure it is one again,
 * after a pause that doubles with each further one. Those that are new, and those that are slow or give no answer, have
 * only a part of all couriers each (`kind`): a thousand dead ones leave the others room. What counts for that is how long
 * they hold a courier, not what they answer.
 */
import type { Clock, Timer } from '@millhand/runner'

/** How a post went. */
export interface Going {
  readonly failed: boolean
  /** Whether an answer, of whatever status, came within a second. Undefined where that says nothing of the endpoint. */
  readonly swift: boolean | undefined
}

type Kind = 'new' | 'swift' | 'slow'

export interface Pace {
  /** How many posts to the endpoint there may be now. */
  most(endpoint: string): number
  /** `swift` where its last post was, `slow` where it was not, `new` where nothing is known of it. */
  kind(endpoint: string): Kind
  /** It failed the last time, under an owner of before: perhaps swiftly, which nobody knows. */
  failing(endpoint: string): void
  /** A post has ended. `beganAt` is by the monotonic clock. */
  ended(endpoint: string, going: Going, beganAt: number): void
  /** Forgets everything. */
  clear(): void
}

const MOST_AT_ONCE = 16
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 4_000
/** Endpoints that are remembered: those of the latest posts. */
const REMEMBERED = 50_000

interface Course {
  most: number
  kind: Kind
  /** The last pause, 0 after a success. */
  pauseMs: number
  /** By the monotonic clock. */
  failedAt: number
  timer: Timer | undefined
}

/** `onMore` hears when a pause is over. */
export function createPace(clock: Clock, onMore: (endpoint: string) => void): Pace {
  const courses = new Map<string, Course>()

  const take = (endpoint: string): Course => {
    const known = courses.get(endpoint)
    courses.delete(endpoint) // It goes to the end.
    return known ?? { most: 1, kind: 'new', pauseMs: 0, failedAt: Number.NEGATIVE_INFINITY, timer: undefined }
  }

  const keep = (endpoint: string, course: Course) => {
    courses.set(endpoint, course)
    if (courses.size > REMEMBERED) for (const [oldest] of courses) return forget(oldest)
  }

  const forget = (endpoint: string) => {
    const course = courses.get(endpoint)
    courses.delete(endpoint)
    course?.timer?.cancel()
    if (course?.timer) onMore(endpoint)
  }

  const pause = (endpoint: string, course: Course) => {
    course.pauseMs = Math.min(Math.max(course.pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
    course.timer?.cancel()
    course.timer = clock.timer(course.pauseMs, () => {
      course.timer = undefined
      onMore(endpoint)
    })
  }

  return {
    most(endpoint) {
      const course = courses.get(endpoint)
      if (!course) return 1
      return course.timer ? 0 : course.most
    },
    kind(endpoint) {
      return courses.get(endpoint)?.kind ?? 'new'
    },
    failing(endpoint) {
      keep(endpoint, { ...take(endpoint), kind: 'slow' })
    },
    ended(endpoint, { failed, swift }, beganAt) {
      const course = take(endpoint)
      if (swift !== undefined) course.kind = swift ? 'swift' : 'slow'
      if (!failed) {
        course.most = Math.min(course.most * 2, MOST_AT_ONCE)
        course.pauseMs = 0
      } else {
        course.most = 1
        // What was under way together fails together: that is one failure.
        if (beganAt >= course.failedAt) pause(endpoint, course)
        course.failedAt = clock.monotonic()
      }
      keep(endpoint, course)
    },
    clear() {
      for (const { timer } of courses.values()) timer?.cancel()
      courses.clear()
    },
  }
}

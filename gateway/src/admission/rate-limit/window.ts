/** What a request counts in. */

export type Family = 'compute' | 'developer'

/** The requests of an account and mode that a plan family limits. */
export interface RateWindow {
  /** `<account id>/<mode>/<family>`. */
  readonly name: string
  readonly family: Family
  /** Requests in any 60 seconds. */
  readonly limit: number
}

/** Undefined where there is no limit. */
export function rateWindow(tenant: string, family: Family, limit: number | undefined): RateWindow | undefined {
  return limit === undefined ? undefined : { name: `${tenant}/${family}`, family, limit }
}

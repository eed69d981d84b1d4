import type { RuleId } from '../../findings/rules.ts'

export interface Plant {
  readonly rule: RuleId
  /** What stands in the clean page, and what stands there instead. */
  readonly from: string
  readonly to: string
  /** What the finding has to point at, where that is not all of `to`. */
  readonly at?: string
}

export interface PlantedPage {
  readonly page: string
  readonly keywords?: readonly string[]
  readonly plants: readonly Plant[]
}

export const plant = (rule: RuleId, from: string, to: string, at?: string): Plant => ({
  rule,
  from,
  to,
  ...(at && { at }),
})

export const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">'
export const longSentence =
  'The water that you see at the foot of the cliff in the morning is not the water that will be there when you come back in the afternoon with wet shoes and a tired dog and the wish to be at home before the light is gone'

import { signedDecimalOf } from '@millhand/api'
import type { Money } from '@millhand/api/gen/millhand/type/v1/money_pb.ts'

/** Micro-dollars; negative where they are given back. */
export const moneyMessage = (micros: number): Money => dollars(signedDecimalOf(micros))

export const dollars = (amount: string): Money => ({ $typeName: 'millhand.type.v1.Money', amount, currency: 'USD' })

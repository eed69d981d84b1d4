export type PersonalKind =
  | 'email'
  | 'phone'
  | 'card'
  | 'iban'
  | 'social_security'
  | 'ip_address'
  | 'secret'
  | 'name'
  | 'address'
  | 'birth_date'
  | 'passport'

/** Something personal, or secret, at `text.slice(start, end)`. */
export interface Found {
  readonly kind: PersonalKind
  readonly start: number
  readonly end: number
}

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createMask } from './mask.ts'

const masked = (text: string) => createMask().mask(text)

const cases: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'e-mail addresses': [
    ['write to jane.doe+x@mail.example.org.', 'write to [email 1].'],
    ['jane [at] example (dot) com', '[email 1]'],
    ['jürgen@bücher.example', '[email 1]'],
    ['jane＠example．com', '[email 1]'],
    ['a @ b, x@y', 'a @ b, x@y'],
  ],
  'telephone numbers': [
    ['call +49 30 1234567 now', 'call [phone 1] now'],
    ['030/123 45 67 or (415) 555-2671', '[phone 1] or [phone 2]'],
    ['1-800-555-0199, my number is 5550199', '[phone 1], my number is [phone 2]'],
    ['at 12:30 on 2026-11-22, order 1002345678', 'at 12:30 on 2026-11-22, order 1002345678'],
    ['limits are 1,000 and 10 000 and v1.2.3', 'limits are 1,000 and 10 000 and v1.2.3'],
  ],
  'card numbers with a right check digit': [
    ['4111 1111 1111 1111', '[card 1]'],
    ['order 123 5555-5555-5555-4444', 'order 123 [card 1]'],
    ['378282246310005 12/27', '[card 1] 12/27'],
    ['4111 1111 1111 1112', '4111 1111 1111 1112'],
    ['４１１１ １１１１ １１１１ １１１１', '[card 1]'],
    ['4\u200d111111111111111', '[card 1]'],
    ['٤١١١ ١١١١ ١١١١ ١١١١', '[card 1]'],
  ],
  'account numbers with right check digits': [
    ['DE89 3704 0044 0532 0130 00.', '[iban 1].'],
    ['gb82west12345698765432', '[iban 1]'],
    ['NO93 8601 1117 948', 'NO93 8601 1117 948'],
    ['NO93 8601 1117 947', '[iban 1]'],
  ],
  'social security numbers': [
    ['my SSN is 078-05-1120', 'my SSN is [social security 1]'],
    ['666-12-3456', '666-12-3456'],
  ],
  'addresses of computers that are on the Internet': [
    ['from 8.8.8.8 and 2001:4860:4860::8888', 'from [ip address 1] and [ip address 2]'],
    ['http://192.168.1.20 and 127.0.0.1, ::1', 'http://192.168.1.20 and 127.0.0.1, ::1'],
  ],
  'names of people, wherever they stand once a sign has told them': [
    ['Farid called. I am Farid Rahmani from Leeds.', '[name 1] called. I am [name 2] from Leeds.'],
    ['It broke.\nBest regards,\nMiriam Oduya', 'It broke.\nBest regards,\n[name 1]'],
    ['For Nkechi, nkechi.eze@example.com', 'For [name 1], [email 1]'],
    ['Mr. and Mrs. Tillman, Herr Dr. REUTER', 'Mr. and Mrs. [name 1], Herr Dr. [name 2]'],
    [
      'By mail. Name: Boris Petrovsky, desk 4. - Name: Anna Miller.',
      'By mail. Name: [name 1], desk 4. - Name: [name 2].',
    ],
    ['Valgrind leaks: valgrind-users@example.net', 'Valgrind leaks: [email 1]'],
    ['Valgrind leaks: valgrind@valgrind.example', 'Valgrind leaks: [email 1]'],
    ['Nkechi Eze: nkechi@eze.example', '[name 1] Eze: [email 1]'],
    ['Ask Libfoo on libfoo@lists.example.org.', 'Ask Libfoo on [email 1].'],
    ['Ask Velolux: Velolux-Help@example.com', 'Ask Velolux: [email 1]'],
    ['Ask Libfoo on libfoo@googlegroups.com.', 'Ask Libfoo on [email 1].'],
    ['Nkechi and Eze: nkechi-eze@example.com', '[name 1] and [name 2]: [email 1]'],
    ['Nkechi: nkechi.eze@list.ru', '[name 1]: [email 1]'],
    ['Patel: dev-patel@example.com', '[name 1]: [email 1]'],
    ['Franz: franz-list@example.com', '[name 1]: [email 1]'],
    ['Kowalski: kowalski-office@example.com', '[name 1]: [email 1]'],
    ['Dmitri: dmitri-dev@example.com', '[name 1]: [email 1]'],
    ['Luc: jean-luc.sales@example.com', '[name 1]: [email 1]'],
    ['Kowalskis: the-kowalskis@example.com', '[name 1]: [email 1]'],
    ['Nkechi: support-nkechi@example.com', '[name 1]: [email 1]'],
    ['Nkechi: nkechi.eze-users@example.com', '[name 1]: [email 1]'],
    ['Dear Support, I am Happy. This is Windows.', 'Dear Support, I am Happy. This is Windows.'],
  ],
  'postal addresses': [
    ['to 221B Baker Street, London NW1 6XE.', 'to [address 1].'],
    ['742 Evergreen Terrace, Springfield, IL 62704', '[address 1]'],
    ['Lindenstraße 12, 10969 Berlin; 12 rue de la Paix, 75002 Paris', '[address 1]; [address 2]'],
    ['order 75002, 3 Street Fighter games', 'order 75002, 3 Street Fighter games'],
  ],
  'dates of birth and numbers of passports, and no other dates and numbers': [
    ['born on 12 March 1984, DOB: 04/07/1991', 'born on [birth date 1], DOB: [birth date 2]'],
    ['ordered on 12 March 2024', 'ordered on 12 March 2024'],
    ['passport no. C01X00T47', 'passport no. [passport 1]'],
    ['Your passport number is 533380112, call 533380112', 'Your passport number is [passport 1], call [phone 1]'],
    ['my passport is in room 533380', 'my passport is in room 533380'],
  ],
  'keys and passwords': [
    ['use mh_live_3fGhabcdefgh12345', 'use [secret 1]'],
    ['ghp_abcdefghijklmnopqrst1234', '[secret 1]'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc', '[secret 1]'],
    ['AKIAIOSFODNN7EXAMPLE', '[secret 1]'],
    ['wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', '[secret 1]'],
    ['password: hunter2', 'password: [secret 1]'],
    ['my password is tr0ub4dor&3 ok', 'my password is [secret 1] ok'],
    ['the secret code is BLUE-TIGER-42!', 'the secret code is [secret 1]'],
    ['https://bob:s3cr3t@localhost/x', 'https://bob:[secret 1]@localhost/x'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- x', '[secret 1] x'],
    ['my password is not working', 'my password is not working'],
    ['task_01kaje5z1cf6tvnyxkkhbm3v8h', 'task_01kaje5z1cf6tvnyxkkhbm3v8h'],
    ['123e4567-e89b-12d3-a456-426614174000', '123e4567-e89b-12d3-a456-426614174000'],
    ['docs/decisions/one-owner.md and MILLHAND_LLM_URL', 'docs/decisions/one-owner.md and MILLHAND_LLM_URL'],
  ],
}
for (const [name, texts] of Object.entries(cases))
  it(`masks ${name}`, () => {
    for (const [text, expected] of texts) assert.equal(masked(text), expected)
  })

describe('a mask', () => {
  it('gives the same thing the same placeholder, however it is written, and counts', () => {
    const mask = createMask()
    assert.equal(mask.mask('DE89370400440532013000'), '[iban 1]')
    assert.equal(mask.mask('a@b.example, DE89 3704 0044 0532 0130 00, c@d.example'), '[email 1], [iban 1], [email 2]')
    assert.deepEqual(mask.found(), [
      { placeholder: '[iban 1]', kind: 'iban', times: 2 },
      { placeholder: '[email 1]', kind: 'email', times: 1 },
      { placeholder: '[email 2]', kind: 'email', times: 1 },
    ])
  })

  it('leaves what may go out', () => {
    const mask = createMask(['help@shop.example', '+49 (30) 1234567'])
    assert.equal(
      mask.mask('Help@shop.example, +49 30 123 45 67, me@shop.example'),
      'Help@shop.example, +49 30 123 45 67, [email 1]',
    )
  })

  it('finds nothing more in what it has masked, and keeps the rest, whatever stands around', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '4111 1111 1111 1111',
        'a@b.example',
        'password: x1y2',
        '+49 30 1234567',
        'DE89370400440532013000',
        'Regards,\nMiriam Oduya',
        'I am Farid Rahmani',
        '12 Willow Street, London NW1 6XE',
        'born on 12 March 1984',
        '\n',
        ' ',
        '.',
      ),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), pieces => {
        const once = masked(pieces.join(' '))
        const again = createMask()
        again.mask(once)
        assert.deepEqual(again.found(), [])
      }),
    )
  })

  const megabyte = [
    'a',
    '1',
    '1 ',
    '4 ',
    '0 ',
    '00 1 ',
    '1.',
    'a@',
    '@',
    'a@a.',
    '[at]',
    '+1',
    'DE89 ',
    'A1b2',
    '::',
    '://a:',
    'Aa ',
    'Aa’',
    'A.',
    '1 Aa ',
    '1 rue Aa',
    'thanks ',
    'Mr ',
    'Mr and ',
    'MR AA ',
    'A-',
    'Dear Aa ',
  ]
  const words = [
    '-----BEGIN PRIVATE KEY-----',
    'password is ',
    'password:',
    'call 1',
    'Regards,\n',
    'My name is Aa ',
    'Regards,\nAa Bb\nCc ',
    'ab@c.example Ab ',
    '1 Aa Street, Aa ',
    'Aastraße 1, 10969 Aa ',
    'born on 1 ',
    'passport no. 1',
    'passport AB 1',
    'born in Aa, ',
    'born in ',
    'born (',
    'sk_',
    'eyJaaaaaa.',
    '\u0301',
    '👩‍👩‍👧',
  ]
  for (const part of [...megabyte, ...words])
    it(`reads a megabyte of ${JSON.stringify(part)} in a time proportional to it`, { timeout: 300_000 }, () => {
      assert.ok(masked(part.repeat(Math.floor(1_000_000 / part.length))).length > 0)
    })
})

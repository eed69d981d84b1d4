/** As SAP and banks export them. */
import { type Case, lines } from './case.fixture.ts'

export const banks: readonly Case[] = [
  {
    what: 'SAP: a minus behind',
    file: lines('Buchung;Betrag', ['01.01.2026;1.234,00-', '02.01.2026;5,50']),
    columns: ['Buchung time: 2026-01-01 | 2026-01-02', 'Betrag number: -1234 | 5.5'],
    warned: [/"Betrag" is read as numbers: "1\.234,00-" as -1234/],
  },
  {
    what: 'SAP: a list with bars and dashes',
    file: lines('Buchung|Konto|Betrag', ['01.01.2026|0001400|10,00-', '02.01.2026|0008400|12,00']),
    columns: ['Buchung time: 2026-01-01 | 2026-01-02', 'Konto text: 0001400 | 0008400', 'Betrag number: -10 | 12'],
    warned: [/"10,00-" as -10/],
  },
  {
    what: 'a bank: lines about the account above the header',
    file: lines('"Kontonummer:";"DE00 1234 / Girokonto";', [
      '"Von:";"01.01.2026";',
      '"Bis:";"31.01.2026";',
      '',
      '"Buchungstag";"Empfänger";"Betrag (EUR)"',
      '"02.01.2026";"Bäcker";"-12,50"',
      '"03.01.2026";"Miete";"-1.050,00"',
      '"05.01.2026";"Lohn";"2.100,00"',
      '"06.01.2026";"Bäcker";"-2,50"',
    ]),
    columns: [
      'Buchungstag time: 2026-01-02 | 2026-01-03 | 2026-01-05 | 2026-01-06',
      'Empfänger text: Bäcker | Miete | Lohn | Bäcker',
      'Betrag (EUR) number: -12.5 | -1050 | 2100 | -2.5',
    ],
    warned: [/3 rows above the header are left out: "Kontonummer: DE00 1234 \/ Girokonto", "Von: 01\.01\.2026"/],
  },
  {
    what: 'a bank: S and H for debit and credit',
    file: lines('Tag;Betrag', ['02.01.2026;12,50 S', '03.01.2026;20,00 H']),
    columns: ['Tag time: 2026-01-02 | 2026-01-03', 'Betrag number: -12.5 | 20'],
    warned: [/"12,50 S" as -12\.5/],
  },
  {
    what: 'a bank: CR and DR',
    file: lines('day,amount', ['02-Jan-2026,"1,250.50 DR"', '03-Jan-2026,20.00 CR']),
    columns: ['day time: 2026-01-02 | 2026-01-03', 'amount number: -1250.5 | 20'],
    warned: [/"1,250\.50 DR" as -1250\.5/],
  },
  {
    what: 'a bank: currency codes behind',
    file: lines('day;amount', ['2026-01-02;-12,50 EUR', '2026-01-03;20,00 EUR']),
    columns: ['day time: 2026-01-02 | 2026-01-03', 'amount number: -12.5 | 20'],
    warned: [/"-12,50 EUR" as -12\.5/],
  },
  {
    what: 'a bank: two currencies in a column are no one number',
    file: lines('day;amount', ['2026-01-02;-12,50 EUR', '2026-01-03;20,00 USD']),
    columns: ['day time: 2026-01-02 | 2026-01-03', 'amount text: -12,50 EUR | 20,00 USD'],
    warned: [/"amount" is taken for a text, as its numbers have different units/],
  },
  {
    what: 'account numbers longer than a number can tell apart',
    file: lines('account,v', ['12345678901234567890,1', '12345678901234567891,2']),
    columns: ['account text: 12345678901234567890 | 12345678901234567891', 'v number: 1 | 2'],
  },
  {
    what: 'post codes with zeros in front',
    file: lines('plz,v', ['01067,1', '10115,2', '80331,3']),
    columns: ['plz text: 01067 | 10115 | 80331', 'v number: 1 | 2 | 3'],
  },
]

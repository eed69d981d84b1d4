import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { languageCheck, languageOf } from './language.ts'

/** Made for this test. */
const short: Readonly<Record<string, readonly string[]>> = {
  en: [
    'The delivery was late and nobody answered my mails.',
    'Not bad at all',
    'I love this phone',
    'My invoice is wrong, please send a new one.',
    'Where can I change my password?',
  ],
  de: [
    'Die Lieferung kam zu spät und niemand hat geantwortet.',
    'Gar nicht schlecht',
    'Ich liebe dieses Telefon',
    'Meine Rechnung ist falsch, bitte schicken Sie eine neue.',
    'Wo kann ich mein Passwort ändern?',
  ],
  fr: [
    "La livraison est arrivée en retard et personne n'a répondu.",
    'Pas mal du tout',
    "J'adore ce téléphone",
    'Ma facture est fausse, veuillez en envoyer une nouvelle.',
    'Où puis-je changer mon mot de passe ?',
  ],
  es: [
    'El pedido llegó tarde y nadie contestó mis correos.',
    'Nada mal',
    'Me encanta este teléfono',
    'Mi factura está mal, por favor envíen una nueva.',
    '¿Dónde puedo cambiar mi contraseña?',
  ],
  it: [
    'La consegna è arrivata in ritardo e nessuno ha risposto.',
    'Niente male',
    'Adoro questo telefono',
    'La mia fattura è sbagliata, mandatene una nuova per favore.',
    'Dove posso cambiare la mia password?',
  ],
  pt: [
    'A entrega chegou atrasada e ninguém respondeu.',
    'Nada mau',
    'Eu adoro este telefone',
    'A minha fatura está errada, por favor enviem uma nova.',
    'Onde posso mudar a minha senha?',
  ],
  nl: [
    'De levering was te laat en niemand heeft geantwoord.',
    'Helemaal niet slecht',
    'Ik hou van deze telefoon',
    'Mijn factuur klopt niet, stuur alstublieft een nieuwe.',
    'Waar kan ik mijn wachtwoord wijzigen?',
  ],
  sv: [
    'Leveransen var sen och ingen svarade på mina mejl.',
    'Inte alls dåligt',
    'Jag älskar den här telefonen',
    'Min faktura är fel, skicka en ny tack.',
    'Var kan jag ändra mitt lösenord?',
  ],
  pl: [
    'Dostawa się spóźniła i nikt nie odpowiedział.',
    'Całkiem nieźle',
    'Uwielbiam ten telefon',
    'Moja faktura jest błędna, proszę przysłać nową.',
    'Gdzie mogę zmienić hasło?',
  ],
  cs: [
    'Dodávka přišla pozdě a nikdo mi neodpověděl.',
    'Vůbec to není špatné',
    'Miluji tento telefon',
    'Moje faktura je špatně, pošlete prosím novou.',
    'Kde si mohu změnit heslo?',
  ],
  ru: [
    'Доставка опоздала, и никто не ответил.',
    'Совсем неплохо',
    'Я люблю этот телефон',
    'Мой счёт неверный, пришлите новый.',
    'Где можно изменить пароль?',
  ],
  uk: [
    'Доставка запізнилася, і ніхто не відповів.',
    'Зовсім непогано',
    'Я люблю цей телефон',
    'Мій рахунок неправильний, надішліть новий.',
    'Де можна змінити пароль?',
  ],
  tr: [
    'Teslimat geç kaldı ve kimse cevap vermedi.',
    'Hiç fena değil',
    'Bu telefonu çok seviyorum',
    'Faturam yanlış, lütfen yenisini gönderin.',
    'Şifremi nereden değiştirebilirim?',
  ],
  ja: [
    '配達が遅れて、誰も返事をくれませんでした。',
    '全然悪くない',
    'この電話が大好きです',
    '請求書が間違っています。',
    'パスワードはどこで変更できますか？',
  ],
  zh: [
    '送货很晚，没有人回复我。',
    '一点也不差',
    '我喜欢这部手机',
    '我的发票有误，请重新发送。',
    '在哪里可以修改密码？',
  ],
  ko: [
    '배송이 늦었고 아무도 답하지 않았습니다.',
    '전혀 나쁘지 않아요',
    '이 전화기가 정말 좋아요',
    '청구서가 잘못되었습니다.',
    '비밀번호는 어디서 바꿀 수 있나요?',
  ],
  ar: [
    'وصل الطلب متأخرا ولم يرد أحد.',
    'ليس سيئا على الإطلاق',
    'أحب هذا الهاتف',
    'فاتورتي خاطئة، أرسلوا واحدة جديدة.',
    'أين يمكنني تغيير كلمة المرور؟',
  ],
  fi: [
    'Toimitus oli myöhässä eikä kukaan vastannut.',
    'Ei lainkaan huono',
    'Rakastan tätä puhelinta',
    'Laskuni on väärin, lähettäkää uusi.',
    'Missä voin vaihtaa salasanani?',
  ],
}
const texts = Object.entries(short).flatMap(([language, lines]) => lines.map(text => ({ language, text })))

describe('the language of a short text', () => {
  it('is recognised in at least 84 of 90', () => {
    const right = texts.filter(({ language, text }) => languageOf(text) === language).length
    assert.equal(texts.length, 90)
    assert.ok(right >= 84, String(right))
  })

  it('is never taken for English wrongly, nor English for another', () => {
    for (const { language, text } of texts) assert.equal(languageOf(text) === 'en', language === 'en', text)
  })

  it('is English where another seems likelier by the letters alone', () => {
    for (const text of ['Bad santa BAD', 'excellent.', 'I miss Tom.', 'so awesome', 'buyer beware, trouble indeed'])
      assert.equal(languageOf(text), 'en', text)
  })

  it('is not told where there is none, or too little', () => {
    for (const text of ['', '123 !!', '😁😁', ':)', 'Boom Shaka Lacka.']) assert.equal(languageOf(text), 'und', text)
  })
})

it('the language of a long text is that of most of it', () => {
  const german = 'Die Lieferung kam zu spät und niemand hat geantwortet. '.repeat(100)
  assert.equal(languageOf(`Hello, this is my ticket. ${german}`), 'de')
  assert.equal(languageOf('👩‍👩‍👧‍👦'.repeat(10_000)), 'und')
})

describe('a text is in the language that was asked for', () => {
  const english =
    'Dear Jana, thank you for your letter, and we are sorry for the delay of your parcel. It left on Monday.'
  const german =
    'Wir haben Ihre Bestellung gestern an den Paketdienst übergeben und schicken Ihnen die Nummer noch heute.'
  for (const [text, value] of [
    [english, 'en'],
    [`${english} Kind regards from us all, and please write again at any time.\n\n${german}`, 'en and de'],
    [`${german} ${german} Ihre Anna Maier`, 'de'],
    [`${english} The book is called Das Haus und der Garten am Ende der Welt.`, 'en'],
  ] as const)
    it(`and in no other one beside: ${value}`, () => {
      const check = languageCheck(text, 'en')
      assert.deepEqual([check.value, check.pass], [value, value === 'en'])
    })

  it('by either code of Norwegian', () => {
    const text = 'Hei Kari, takk for meldingen din. Pakken er på vei og kommer på mandag. Vi hjelper deg gjerne videre.'
    for (const wanted of ['no', 'nb']) assert.equal(languageCheck(text, wanted).pass, true, wanted)
    assert.equal(languageCheck(text, 'da').pass, false)
  })

  it('is told in time however long the text is', { timeout: 300_000 }, () => {
    for (const part of ['a', 'a ', 'Das ist ein Haus. ', '.', '\n', '漢']) languageCheck(part.repeat(50_000), 'en')
  })
})

/** Which parts of a page are not its subject. */

/** What an element with all in it is instead of content; empty where it is content, or says nothing of it. */
export function besideOf(name: string, attributes: ReadonlyMap<string, string>): string {
  const role = attributes.get('role')?.trim().toLowerCase() ?? ''
  const marks = `${attributes.get('id') ?? ''} ${attributes.get('class') ?? ''}`.slice(0, 500)
  // A page that says of itself that it is of cookies is no notice.
  if (!/^(?:html|body|main|article)$/.test(name) && NOTICE.test(marks)) return 'notices about cookies'
  if (name === 'div' && SIDE.test(marks)) return 'asides'
  return ROLES.get(role) ?? ELEMENTS.get(name) ?? ''
}

const NOTICE =
  /(?:^|[\s_-])(?:cookie|cookies|consent|gdpr)(?:[_-]?(?:banner|bar|notice|consent|popup|modal|dialog|overlay|message|law|container|wrapper))?(?=[\s_-]|$)|cookie(?:Banner|Bar|Notice|Consent|Popup|Modal)|onetrust|cookiebot/i

/** By a whole name alone: `with-sidebar` is what stands next to one. */
const SIDE = /(?:^|\s)(?:(?:left|right)[_-])?side[_-]?bar(?:[_-](?:left|right|primary|secondary))?(?=\s|$)/i

const ELEMENTS = new Map([
  ['nav', 'navigation'],
  ['footer', 'the foot'],
  ['aside', 'asides'],
  ['form', 'forms'],
  ['button', 'buttons'],
  ['dialog', 'dialogs'],
  ['menu', 'menus'],
])

const ROLES = new Map([
  ['navigation', 'navigation'],
  ['contentinfo', 'the foot'],
  ['complementary', 'asides'],
  ['search', 'forms'],
  ['form', 'forms'],
  ['dialog', 'dialogs'],
  ['alertdialog', 'dialogs'],
  ['menu', 'menus'],
  ['menubar', 'menus'],
])

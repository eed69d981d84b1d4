/** The English words by which a noun is told without a grammar. */

const setOf = (words: string) => new Set(words.split(/\s+/))

/** A noun follows, perhaps after adjectives. */
export const announcing = setOf(
  'the this that these those my your his her its our their a an any every each of with for about',
)

export const adjectives =
  setOf(`new old big small large little long short high low first second third last next previous current
  whole full main early late different similar other same own several few many much various certain red blue green black white
  entire single double actual only hundred thousand million billion`)

/** Verbs that come often, and those that help others. */
export const verbs =
  setOf(`is are was were isn't aren't wasn't weren't am be been being do does did done doing don't doesn't didn't
  have has had haven't hasn't hadn't having can could can't couldn't will would won't wouldn't shall should shouldn't may might must
  get gets got getting go goes went going gone come comes came coming make makes made making take takes took taking give gives gave
  giving say says said saying tell tells told think thinks thought thinking know knows knew see sees saw seen look looks looked
  looking feel feels felt feeling seem seems seemed work works worked working use uses used using try tries tried trying want wants
  wanted need needs needed find finds found keep keeps kept let lets put puts run runs ran start starts started stop stops stopped
  turn turns turned send sent buy buys bought buying sell sold pay paid cost costs last lasts lasted arrive arrives arrived answer
  answered call called ask asked show shows showed play plays played playing read write wrote become becomes became hold holds held`)

/** What else is no noun, or none that says anything: words of grammar, and nouns such as thing and day. */
export const bounds =
  setOf(`the this that these those my your his her its our their a an any every each of with for about some no
  not i you he she it we they me him them us who whom whose which what where when why how there here and or but nor so if then than
  because since until while although though as at by in into on onto from to up down out off over under again after before between
  through during without within against around near per via also just even still already always never ever too very really quite
  rather almost maybe perhaps now today tonight tomorrow yesterday soon later ago once twice back away together instead else such both
  all most more less least own one two three four five six seven eight nine ten thing stuff something anything nothing everything
  someone anyone everyone nobody way time day week month year hour minute moment morning evening night bit lot kind sort type part
  rest side end people person man woman men women guy case fact reason example number couple bunch pair half well good right http
  https www com`)

/**
 * Words that claim more than others have; platforms ask for proof of them, and law does in many places. “Most likely” and “most
 * people” compare with nothing: behind “most”, a plural is no
 * quality, but behind “the most” it is a comparison.
 */
const words =
  /(?<![\p{L}\p{N}])(?:best|cheapest|fastest|easiest|safest|largest|biggest|greatest|finest|lowest|highest|strongest|most\s(?!about|of|in|for|to|from|when|with|by|on|at|likely|probably|recent|recently|often|commonly|notably|importantly)(?!\p{L}{2,19}(?<!ou|les|s)s(?!\p{L})(?<!the\smost\s\p{L}{3,20}))\p{L}{3,20}|number\s(?:one|1)|no\.?\s?1|#1|leading|unbeatable|unrivalled|ultimate|perfect|guaranteed|world[-\s]class|world['’]s|100\s?%|beste[nrsm]?|billigste[nrsm]?|schnellste[nrsm]?|größte[nrsm]?|günstigste[nrsm]?|nummer\s1|führend\p{L}{0,3}|meilleure?s?|mejor(?:es)?|garantizado|garanti)(?![\p{L}\p{N}])/giu

/** “The best way is to write to us” helps, and ranks nothing; “the best choice” of an advertisement does. */
const helping =
  /(?<![\p{L}\p{N}])(?:best(?=,?\s*(?:$|\n)|\s(?:bet|estimates?|guess|friends?|wishes|regards|of\sluck|way|place|option|choice|time|moment|thing|part|of\sall|for\syou|suits|work|works|if|when)(?!\p{L}))|(?:cheapest|fastest|easiest|safest)(?=\s(?:way|fix|option|choice|thing|route|solution|step)(?!\p{L})))/giu

/** In what is written to help somebody. */
export const superlativesIn = (text: string): string[] => advertisedIn(text.replaceAll(helping, ' '))

/** In an advertisement. */
export const advertisedIn = (text: string): string[] => text.match(words) ?? []

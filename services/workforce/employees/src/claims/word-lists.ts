/** Words that promise, and words that law, health or proof must back: each is known only where it was given. */
export type ClaimGroup = 'figure' | 'date' | 'name' | 'address' | 'quote' | 'money' | 'law' | 'health' | 'act' | 'claim'

export interface WordClaims {
  readonly group: ClaimGroup
  readonly what: string
  readonly said: RegExp
  /** What stands for the same: some of it must be in a paragraph that shares a word with the sentence. Else the word itself. */
  readonly held?: RegExp
  /** One given sentence must have both the claim and what it is said of, and its condition. */
  readonly isBySentence?: boolean
  /** It is known wherever somebody spoke of it, the customer among them. */
  readonly isTopic?: boolean
  /** Tables have no prices in which something is included. */
  readonly isOfPrices?: boolean
  /** Nothing that is given can hold it. */
  readonly isNever?: boolean
}

const of = (words: string): RegExp => new RegExp(String.raw`(?<![\p{L}\p{N}-])(?:${words})(?![\p{L}\p{N}])`, 'giu')

/** “You don't have to pay it at once.” */
const later = String.raw`[^.,;:!?]{0,30}\b(?:at once|now|today|until|before|in full|up ?front|immediately|in advance)\b`

const free = String.raw`free of charge|nothing (?:more |else |extra )?(?:is|was|gets|will be) charged|(?:not|never|won't) be asked to pay|nothing (?:more |else |further )?(?:for you )?to pay|(?<!\bto be )(?<!\byou'?re )free(?!-| (?:\d|to|time|software|of (?:trouble|doubt)|from))|(?:at )?no (?:(?!other|such|hidden)\w+ )?(?:charge|cost|fee)s?|costs? (?:you |customers )?nothing|complimentary|on (?:us|the house)|no postage|gratis|without (?:charge|paying|cost)|(?:pay|costs?) no\w*|not (?:have to |need to )?pay|(?:won't|don't|doesn't) (?:have to |need to )pay(?![^.,;:!?]{0,30} (?:twice|again)\b)(?!${later})|no need (?:for you )?to pay(?![^.,;:!?]{0,30} (?:twice|again)\b)(?!${later})|(?:not|won't|never|nobody will|no one will) (?:be )?charged?(?!${later})|(?:is|was)n't (?:being )?charged|for nothing`

const toAccount = String.raw`(?:wir(?:ed?|ing)|transferr?(?:ed|ing)?|deposit(?:ed|ing)?|remit(?:ted|ting)?) (?:\w+ ){0,6}(?:in)?to (?:your|their|the) (?:bank )?accounts?|(?:your|the) (?:money|funds) (?:is|are|has been|have been|will be) (?:\w+ )?(?:coming|returning|returned|wired|transferred|back)`

/** Whoever is not the writer. */
const payer = String.raw`(?:you|customer|buyer|tenant|guest|member|client|patient|traveller|passenger|user)s?\b`

/** What is said to do a part of the body good. */
const eases = String.raw`(?:help|settl|protect|strengthen|ease|mend|heal|reliev|reduc|support|improv|calm|lower|boost|rest|spar|relax|sooth|good for|kind(?:er)? (?:to|on)|eas(?:y|ier) on|gentle on)(?:e|es|s|ing)? (?:\w+ ){0,4}(?:hearts?|skin|guts?|stomachs?|joints?|bones?|brains?|livers?|lungs?|knees?|backs?|shoulders?|necks?|spines?|hips?|ankles?|wrists?|ligaments?|tendons?|muscles?|gums?|teeth|tooth|throats?|noses?|ears?|eyes?|hair|scalps?|nails?|feet|belly|bod(?:y|ies)|minds?|nerves?|circulation|appetite|concentration|focus|memory|mood|energy|inflammation|swelling)`

/** The longest list comes first: each is known by all of its group. */
export const wordClaims: readonly WordClaims[] = [
  {
    group: 'money',
    what: 'the promise',
    said: of(
      String.raw`refund\w*|reimburs\w*|money[- ]back|(?:your|their|the) money back|(?:paid|pay|pays|paying|give|gives|giving|get|gets|transfer\w*) (?:\w+ ){0,3}(?:money|price|fare|cost|amount|payment|deposit|fee|sum|it all|everything|every \w+|lot|you|[£$€]\S+|percent|%) (?:\w+ ){0,2}back(?! to)|give you back|full (?:price|amount|fare)|credit(?:ed)? (?:to )?your|to your (?:card|account)|(?:bank|credit|debit) (?:card|account)s?|charge ?backs?|${toAccount}`,
    ),
    held: of(
      String.raw`refund\w*|reimburs\w*|money\b.{0,200}\b(?:card|account|back)|(?:price|fare|cost|fee|amount|%|percent)\b[^.]{0,30}\bback|${toAccount}|compensation|(?:paid|pay|pays|sent|transferred|wired|given) back|paid for|payment method`,
    ),
  },
  {
    group: 'money',
    what: 'the amount',
    said: of(
      String.raw`(?:full|whole|entire|complete|total|all) (?:of )?(?:the |your |a )?(?:\w+ ){0,1}(?:refund|fare|price|amount|money|cost|costs|order|bill)`,
    ),
    held: of(String.raw`(?:full|whole|entire|complete|total|all)`),
  },
  {
    group: 'money',
    what: 'the promise',
    said: of(free),
    held: of(
      String.raw`${free}|free|refund\w*|reimburs\w*|waiv\w*|(?:is|are) included|no (?:\w+ )?(?:deposit|prepayment)|nothing (?:\w+ )?(?:due|owed|charged)|(?:pays?|paid|charged?)\b.{0,60}\b(?:unless|except)|(?:fees?|charges?)\b[^.;:!?]{0,40}\bonly|(?:pays|paid) no\w*|(?:we|us|company|shop|seller) (?:pays?|bears?|paid|covers?)`,
    ),
    isBySentence: true,
  },
  {
    group: 'money',
    what: 'what is included,',
    isOfPrices: true,
    said: of('(?<!not )(?:included|inclusive)'),
    held: of(String.raw`(?<!not )(?:includ\w*|inclusive)|free|with|covers?|comes?|gets?|all|plus|and`),
    isBySentence: true,
  },
  { group: 'money', what: 'the promise', said: of(String.raw`waiv\w*`) },
  {
    group: 'money',
    what: 'the offer',
    said: of(
      String.raw`vouchers?|coupons?|rebates?|gift cards?|gifts?|promo(?:tion)?(?: code)?s?|special offers?|refer(?:ring)? (?:a|your) \w+|invite a friend|(?:two|2|three|3|buy)[- ](?:for|one)[- ](?:one|1|two|2|get)|for the price of|reduced prices?|lower prices?|cheaper|bargains?|on sale|store credit|goodwill|loyalty points?|bonus(?:es)?|cash ?back|savings?|saves? (?:you(?! [£$€\d])|every\w*|money|up)|pays? for itself|interest[- ]free|instal?lments?`,
    ),
  },
  {
    group: 'money',
    what: 'the offer',
    said: of('half[- ]price|half off|half the (?:price|fee|fare|cost)|in half'),
    held: of('half[- ]price|half off|half the (?:price|fee|fare|cost)|50 ?%'),
  },
  {
    group: 'money',
    what: 'the offer',
    said: of(String.raw`discount\w*|\d+ ?% off`),
    held: of(String.raw`discount\w*|off|reduc\w*|less|rebates?|refund\w*`),
  },
  {
    group: 'money',
    what: 'the promise',
    said: of(
      String.raw`compensat\w*|(?:pay|paying|paid|liable for|claim) damages|(?:be|been|is|are) made good|reward\w*`,
    ),
  },
  {
    group: 'money',
    what: 'the promise',
    said: of('make (?:it|this|that) up to|make up for'),
    held: of(
      String.raw`make (?:it|this|that) up to|make up for|compensat\w*|discount\w*|refund\w*|vouchers?|credit\w*|free|off|goodwill`,
    ),
  },
  {
    group: 'money',
    what: 'the promise',
    said: of(
      String.raw`(?:we|our company|i)(?:'ll| will| shall| have|'ve)? (?:also )?(?:(?:pay|paid)(?! (?:[^ .,;:!?]+ ){1,4}back)|cover(?!\w*[^.;:!?]{0,20} (?:k?m|kilomet|miles?|ground))\w*|bear|match|give you(?! a (?:call|ring))|offer you)|(?:is|are|be) (?:fully )?(?:covered|paid) by(?! (?:the |our )?${payer})|(?:at|on) our (?:own )?(?:cost|expense)|insured|insurance|all insurers`,
    ),
    held: of(
      String.raw`(?<!${payer} (?:\w+ )?)(?:pay\w*|bears?)|${payer} (?:do|does|need|will)(?: not|n't) (?:have to |need to )?pay|(?:pays?|paid|bears?)\b[^.;:!?]{0,80}\b(?:unless|except)|paid(?! (?:\w+ )?by (?:the |our )?${payer})|cover\w*|free|insurers?|insur\w*|money|reimburs\w*|(?:our|own) (?:cost|expense)|(?:no|without) (?:\w+ )?(?:cost|charge)`,
    ),
  },
  {
    group: 'money',
    what: 'the promise',
    said: of(String.raw`guarant\w*|warrant\w*|we promise|rest assured|risk[- ]free|no[- ]risk`),
    held: of(String.raw`guarant\w*|warrant\w*|promise\w*`),
  },
  {
    group: 'money',
    what: 'the promise',
    said: of(String.raw`lifetime|life[- ]long|for life|unlimited|no (?:\w+ )?(?:needed|required|necessary)`),
  },
  {
    group: 'claim',
    what: 'the promise',
    said: of(
      String.raw`deliver\w*|ship(?:s|ped|ping|ment|ments)?|dispatch\w*|on (?:its|their|the) way(?! (?:to|from|home|up|down|out))`,
    ),
    held: of(
      String.raw`deliver\w*|ship\w*|dispatch\w*|sen[dt]\w*|goes out|arriv\w*|postage|post(?:ed|s)?|parcels?|return\w*`,
    ),
  },
  {
    group: 'claim',
    what: 'the promise',
    said: of(
      String.raw`couriers?|track(?:ing|ed)|express|collect (?:it|the|your) (?:\w+ )?(?:from|at) your|pick(?:ed)? up (?:from|at) your|doorstep|at your door`,
    ),
  },
  {
    group: 'claim',
    what: 'the promise',
    said: of(String.raw`replac\w*|exchang\w*|swap\w*`),
    held: of(String.raw`replac\w*|exchang\w*|swap\w*|make[- ]up|made up|new|again|another|fresh\w*|instead`),
  },
  {
    group: 'money',
    what: 'the promise',
    said: of(
      String.raw`(?:(?:[£$€] ?\d[\d.,]*|\d+ (?:euros?|pounds?|dollars?)|fees?|charges?|bill|price|cost|payment|invoice|balance|money|difference|deposit)(?: \w+){0,2} (?:will|has|have)(?: \w+)? (?:be|been) |(?:we|i)(?:'ll| will| have|'ve) (?:\w+ ){0,2})(?:taken|take|remov\w*|drop\w*|cancel\w*|deduct\w*|credit\w*|return\w*|writ\w+|reduc\w*|halv\w*|lower\w*|knock\w*|split|put|add\w*)(?: \w+){0,2} (?:off|back|to|from|on|in|by|out)(?: \w+)? (?:your|the|next) (?:\w+ )?(?:account|bill|card|invoice|order|balance|price|total)`,
    ),
  },
  {
    group: 'claim',
    what: 'the permission',
    said: of(
      String.raw`(?:is|are|would be) (?:perfectly |totally |absolutely |quite |completely |also )?(?:fine|ok|okay|allowed|permitted|acceptable)`,
    ),
    held: of(String.raw`allow\w*|permit\w*|may|can|fine|accept\w*|welcome|ok|okay`),
  },
  {
    group: 'claim',
    what: 'the pressure',
    said: of(
      String.raw`while stocks? lasts?|last chance|only (?:a few|\w+) left|selling fast|almost gone|hurry|for a (?:short|limited) time|limited(?! to)|exclusive\w*|ends (?:soon|today|tonight)`,
    ),
  },
  {
    group: 'claim',
    what: 'the word',
    said: of(
      String.raw`awards?|award-winning|winn(?:er|ers|ing)|prizes?|certif\w*|[a-z]+-certified|accredit\w*|approv\w*|granted|tested|proven|recommended by|endors\w*|trusted|rated|top[- ]rated|(?:one|two|three|four|five|\d)[- ]star|bestsell\w*|patent\w*|organic\w*|sustainab\w*|eco[- ]?friendly|climate[- ]neutral|carbon[- ]neutral|vegan|recycl\w*|fair[- ]trade|charit\w*|donat\w*|non-?profits?|good cause|family[- ](?:run|owned)|independently|locally (?:made|owned|sourced|grown)|(?:is|are|have|has|will) never|the only \p{L}+(?: \p{L}+)?(?= (?:in|with|on|of) )|(?!(?:that|it|there|here|what|he|she|who)')\p{L}+'s only|unlike (?:any|other)|than any|more than any other`,
    ),
  },
  {
    group: 'claim',
    what: 'the proof',
    said: of(
      String.raw`stud(?:y|ies) (?:show|shows|prove|find|found|suggest)\w*|stud(?:y|ies)|research\w*|scientists?|scientific\w*|experts?|surveys?|statistic\w*|statistically|significan\w*|evidence|expected to|forecasts?|predict\w*|projected|caused by|due to|owing to|led to|resulted? in|turned out|it (?:emerged|appears)|understaffed`,
    ),
  },
  {
    group: 'law',
    what: 'the word of law',
    said: of(
      String.raw`laws?|lawful\w*|lawyers?|legal\w*|illegal\w*|statut\w*|entitle\w*|(?:your|consumer|customer|statutory|legal) rights?|(?:the|a|no|every) right to(?! (?:be|feel|expect|know|ask))|regulations?|regulated|directives?|oblig\w*|liab\w*|complian\w*|compl(?:y|ies) with|gdpr|courts?|lawsuits?|sue|licen[cs]ed|breach\w*|legislation|ombudsman|tax[- ](?:free|deductible|exempt)|exempt\w*|prohibit\w*|forbidden|(?:is|are) (?:not )?(?:permitted|required) (?:by|under)|required by|(?:under|by|per) (?:\w+ ){0,4}(?:rules|code|standards?)|meets? (?:\w+ ){0,4}standards?|fines(?= (?:of|from|for|up))|(?:a|the|no|any) fine(?= (?:of|from|for|up))|penalt(?:y|ies)(?= (?:of|from|for|up|fees?))|owed|landlords? (?:has|have|must|may|is|are)|(?:employer|seller|retailer|trader|provider|airline|carrier|tenant|consumer|buyer)s? (?:has|have|must|may|is|are|can)|vat|deductible|terms and conditions|rights act|(?<=\p{L} )act(?= (?:requires|of|says))`,
    ),
  },
  {
    group: 'health',
    what: 'the word of health',
    said: of(
      String.raw`cur(?:e|es|ed|ing)|heal(?:s|ed|ing)?|prevent\w*|clinical\w*|dermatolog\w*|medical\w*|medicines?|medications?|aspirin|ibuprofen|paracetamol|antibiotics?|painkillers?|antihistamines?|cortisone|disease\w*|illness\w*|symptom\w*|immun\w*|blood|anxiety|depression|cancer|infect\w*|virus\w*|germs?|bacteri\w*|catch(?:es)? (?:it|a cold|anything)|inflam\w*|headaches?|migraines?|aches?|rash(?:es)?|nausea|pregnan\w*|(?:doctors?|physicians?|nurses?|midwives)(?= (?:recommend|agree|approve|say|trust|use|swear))|sooth\w*|side[- ]effects?|detox\w*|hypoallergenic|allerg(?:y|ic)[- ](?:free|safe|friendly)|gluten\w*|toxi\w*|non-toxic|dos(?:e|es|age)|health\w*|digest\w*|sleep(?= (?:better|well|deep|faster|through|sound))|(?:help|better|good|deep|deeper|restful|sound|night's|improves?|your) (?:\w+ )?sleep|insomnia|gentle on|pains?|painless|relie(?:ves?|ving) |eyesight|${eases}|(?:no|not|[a-z]{2,8}n't|never) (?:\w+ ){0,2}(?:harm(?! (?:in|to ask))\w*|danger\w*|hurt(?! (?:to|that))\w*)|safe (?:for|to)|(?:safe|fine|ok|okay|all right) (?:during|in|while|throughout|when) (?:\w+ )?(?:pregnan\w*|breast-?feeding|nursing)|recover\w*|injur\w*|poison\w*|vitamins?|therap(?:y|ies|eutic)|treatments?|treats? (?!you|your(?:self)|my)|chronic|surgery|diagnos\w*|weight loss|lose weight|burns? fat|metabolism|harmless|sterile|antibacterial|normal (?:value|range|reading|level)s?|nothing to worry about|worse outcomes|better outcomes`,
    ),
  },
  // Alone they promise no cure: a text with them is delivered, with its check failed.
  {
    group: 'claim',
    what: 'the word of the body',
    isTopic: true,
    said: of(
      'muscles?|stress|breath(?:e|es|ing)|good for you|hearts?|stomachs?|skin|gut|brains?|joints?|bones?|livers?|lungs?|posture|hygienic|wellbeing|well-being|boosts?|(?:your|the|protects?) eyes?|(?:fall )?asleep',
    ),
  },
]

/** Of a table, which knows no causes, no future and no advice. */
export const tableClaims: readonly WordClaims[] = [
  {
    group: 'claim',
    what: 'no table tells a cause:',
    isNever: true,
    said: of(
      String.raw`because|cause[sd]?|causing|due to|owing to|thanks to|leads? to|led to|results? in|resulted in|drives?|driven by|therefore`,
    ),
  },
  {
    group: 'claim',
    what: 'no table tells the future or gives advice:',
    said: of(String.raw`will|likely|expect(?:ed)?|forecasts?|should|must|ought to|needs? to|recommend\w*|outlook`),
  },
]

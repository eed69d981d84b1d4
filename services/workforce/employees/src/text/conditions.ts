/** Conditions: what is left out may be the sentence by which another one holds. */

/** Whether a text says when, where, for whom or up to what something holds. */
export const isLimited = (text: string): boolean => limits.test(text)

const limits =
  /\*|(?<![\p{L}\p{N}])(?:only|except|exclud\p{L}*|unless|if|when|provided|until|till|but|not|no|never|without|however|subject|terms|conditions?|limited|minimum|maximum|least|must|requir\p{L}*|valid|appl(?:y|ies)|offer ends|nur|außer|ausgenommen|sofern|wenn|falls|bis|ab|aber|nicht|kein\p{L}*|ohne|mindestens|gilt|gelten|seulement|uniquement|sauf|si|jusqu\p{L}*|mais|pas|sans|solo|sólo|salvo|excepto|hasta|pero|sin|mínimo)(?![\p{L}\p{N}])/iu

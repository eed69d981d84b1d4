/**
 * What emojis weigh, in place of the words of their descriptions, by which VADER reads them: “thumbs up” and “thumbs down” say
 * nothing to it, “face vomiting” neither, and a “broken heart” is a good one. On the scale of its words, chosen for this.
 */
export const emojiValences: ReadonlyMap<string, number> = new Map(
  Object.entries({
    '3.2': '❤🧡💛💚💙💜🤎🖤🤍🩷🩵🩶♥💕💖💗💓💞💘💝😍🥰🤩💯🏆',
    '2.5': '👍👏🙌😀😃😄😁😊😇😻😂🤣🥳🎉🤗💪🔥😘☺🫶💐🌟⭐',
    '1.8': '🙂😎😋😌😉👌✅✨🙏🤝😺😸😹🫡✌🤞☀🌈',
    '-1.5': '🙁☹😕😟😒🙄😬😓😥😰😨😧😦🥴🤨😵❌⚠🤧🤒🤕😷',
    '-2.4': '😞😔😣😖😫😩😢😭😿😠😾🤦💔😱🙀🤢🥺😤😪👿🚫🥀',
    '-3.2': '😡🤬🤮💩🖕🗑',
    // A verdict over what the words before it say.
    '-4': '👎',
  }).flatMap(([valence, row]) =>
    [...row.matchAll(/\p{Extended_Pictographic}/gu)].map(([emoji]) => [emoji, Number(valence)] as const),
  ),
)

// Globs know `*` and `?` and mind case, and nothing else is special in them.

interface Masks {
  letters: number;
  ofLetter: Map<string, bigint>; // where this one would be met
  ofAny: bigint;
  atAStar: bigint; // where a star stands before it
}

export function globMatches(pattern: string, text: string): boolean {
  if (pattern === "*") return true;
  if (!/[*?]/.test(pattern)) return text === pattern;
  return matchesSlowly(pattern, text);
}

// All ways to share the text among the stars at once: one step for each letter of the text.
function matchesSlowly(pattern: string, text: string): boolean {
  const masks = masksOf(pattern);
  const [none, one] = [BigInt(0), BigInt(1)];
  let reached = one;
  for (const letter of text) {
    const met = reached & ((masks.ofLetter.get(letter) ?? none) | masks.ofAny);
    reached = (met << one) | (reached & masks.atAStar);
    if (reached === none) return false;
  }
  return ((reached >> BigInt(masks.letters)) & one) === one;
}

function masksOf(pattern: string): Masks {
  const masks: Masks = { letters: 0, ofLetter: new Map(), ofAny: BigInt(0), atAStar: BigInt(0) };
  for (const letter of pattern) {
    const bit = BigInt(1) << BigInt(masks.letters);
    if (letter === "*") {
      masks.atAStar |= bit;
      continue;
    }
    if (letter === "?") masks.ofAny |= bit;
    else masks.ofLetter.set(letter, (masks.ofLetter.get(letter) ?? BigInt(0)) | bit);
    masks.letters += 1;
  }
  return masks;
}

/**
 * A run chooses how many there are, and all that is told of it goes to the model and into the audit
 * log.
 */
const MAX_FINDINGS = 20;

/** Returns as many findings as are told; what could not be done comes first. */
export function fewOf(findings: readonly string[]): readonly string[] {
  const named = findings.toSorted((a, b) => Number(b.startsWith("NOT")) - Number(a.startsWith("NOT")));
  const more = named.length - MAX_FINDINGS;
  return more > 0 ? [...named.slice(0, MAX_FINDINGS), `and ${more} more`] : named;
}

/** Of a run that left very much, the rest is only counted: the service takes no longer messages. */
const MAX_BYTES = 256 * 1024;

export function someFindings(findings: readonly string[]): readonly string[] {
  let room = MAX_BYTES;
  const end = findings.findIndex((finding) => (room -= Buffer.byteLength(JSON.stringify(finding))) < 0);
  return end < 0 ? findings : [...findings.slice(0, end), `and ${findings.length - end} more`];
}

import { isAlias, isCollection, isMap, isScalar, parseDocument, visit, type Document } from "yaml";

/** The head of SKILL.md; every value is text, or a list or table of texts. */
export type SkillHead = Readonly<Record<string, unknown>>;

/** Reads the YAML of a head; a string says what is wrong. */
export function readHead(yaml: string): SkillHead | string {
  // Without the schema's types `1.0` and `yes` stay what was written.
  const document = parseDocument(yaml, { schema: "failsafe", strict: true, uniqueKeys: true });
  const [wrong] = document.errors;
  if (wrong) return `the head is not YAML: ${wrong.message.split("\n", 1)[0] ?? ""}`;
  const foreign = foreignTo(document);
  if (foreign !== undefined) return `the head holds ${foreign}, which the standard's YAML has not`;
  if (!isMap(document.contents)) return "the head is not a table of `key: value`";
  return document.toJS({ maxAliasCount: 0 }) as SkillHead;
}

/** Names what the strict subset of YAML that the standard is read with leaves out. */
function foreignTo(document: Document): string | undefined {
  let found: string | undefined;
  visit(document, (_, node) => {
    if (isAlias(node)) found = "an alias";
    else if (isCollection(node) && node.flow === true) found = "brackets or braces";
    else if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) found = "an anchor";
    else if ((isScalar(node) || isCollection(node)) && node.tag !== undefined && isWritten(node.tag))
      found = "a tag";
    return found === undefined ? undefined : visit.BREAK;
  });
  return found;
}

/** The parser gives the tags of plain texts, lists and tables by itself. */
function isWritten(tag: string): boolean {
  return !["tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"].includes(tag);
}

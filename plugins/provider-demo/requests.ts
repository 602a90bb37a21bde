/** A person's request, as a tool call. */
export interface Wish {
  readonly tool: string;
  readonly args: Readonly<Record<string, string>>;
}

type Reader = (groups: Readonly<Record<string, string | undefined>>) => Wish | undefined;

const POLITE =
  /^(?:(?:please|kindly|now|then|ok|okay|hey|hi|hello|gantry|(?:can|could|would|will) you)[\s,:]+)+/i;
const ENDING = /(?:\s+(?:please|for me|thanks|thank you))*(?:(?<=[\w"'`)])[.!?]+)?$/i;
const HERE =
  /^(?:here|there|this|it|\.|(?:(?:the|this|my|your)\s+)?(?:(?:current|working)\s+)?(?:folder|directory|dir|workspace))$/i;
const VERB = "read|show|open|cat|print|list|ls|run|execute|write|save|create|remember|recall";
const ARTICLE = /^(?:the|an?|my|your|some|it|this|that|these)\b/i;

const NOTHING: Wish["args"] = {};

const list: Reader = ({ path = "" }) => {
  const place = unquote(path);
  return { tool: "file_list", args: place === "" || HERE.test(place) ? NOTHING : { path: place } };
};
const read: Reader = ({ path = "" }) => ({ tool: "file_read", args: { path: unquote(path) } });
const shell: Reader = ({ command = "" }) => {
  const line = unquote(command);
  return ARTICLE.test(line) ? undefined : { tool: "shell", args: { command: line } };
};
const store: Reader = ({ text = "" }) => ({ tool: "memory_store", args: { text: unquote(text) } });
const recall: Reader = ({ query = "" }) => ({ tool: "memory_recall", args: { query: unquote(query) } });
const write: Reader = ({ path = "", content = "" }) => ({
  tool: "file_write",
  args: { path: unquote(path), content: unquote(content) },
});

/** Any tool, by its name and its arguments as JSON: how an author tries one. */
const use: Reader = ({ tool = "", json = "" }) => {
  try {
    return { tool, args: JSON.parse(json) as Wish["args"] };
  } catch {
    return undefined;
  }
};

const TOKEN = "`[^`]+`|\"[^\"]+\"|'[^']+'|\\S+";
const FILE = "`[^`]+`|\"[^\"]+\"|'[^']+'|\\S*[./]\\S*";

/** First match wins; every pattern covers the whole request. */
const RULES: readonly (readonly [RegExp, Reader])[] = [
  [/^use\s+(?:the\s+tool\s+)?`?(?<tool>[A-Za-z0-9_-]{1,64})`?\s+with\s+(?<json>\{.*\})$/is, use],
  [
    /^(?:remember|memori[sz]e|keep in mind|do ?n['o]?t forget)\b(?:\s+(?:that|this)\b)?\s*[:,]?\s*(?<text>\S.*)$/is,
    store,
  ],
  [
    /^(?:what|anything)\s+(?:do|did)\s+you\s+(?:know|remember|recall)\s+(?:about|of|on)\s+(?<query>.+)$/is,
    recall,
  ],
  [/^what\s+(?:did|have)\s+i\s+(?:tell|told)\s+you\s+(?:about|of|on)\s+(?<query>.+)$/is, recall],
  [
    /^(?:tell me|show me)\s+what\s+you\s+(?:know|remember|recall)\s+(?:about|of|on)\s+(?<query>.+)$/is,
    recall,
  ],
  [/^(?:recall|do you (?:remember|recall|know(?: anything)?))\s+(?:about\s+|of\s+)?(?<query>.+)$/is, recall],
  [
    new RegExp(
      `^(?:write|save|put)\\s+(?<content>.+?)\\s+(?:to|into|in)\\s+(?:(?:the|a)\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?(?<path>${FILE})$`,
      "is",
    ),
    write,
  ],
  [
    new RegExp(
      `^(?:create|make|write|save)\\s+(?:(?:the|an?)\\s+)?(?:new\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?(?<path>${TOKEN})\\s+(?:with|containing|saying|that says)\\s+(?:(?:the|this)\\s+)?(?:(?:text|contents?)\\b)?\\s*:?\\s*(?<content>\\S.*)$`,
      "is",
    ),
    write,
  ],
  [/^(?:run|execute|exec)\s+(?:(?:the\s+)?(?:shell\s+)?command\s+)?(?<command>\S.*)$/is, shell],
  [/^\$\s+(?<command>\S.*)$/is, shell],
  [/^(?<command>`[^`]+`|ls\s+-.*)$/is, shell],
  [
    new RegExp(
      `^(?:show|open|print|display)\\s+(?:me\\s+)?(?:(?:the|my)\\s+)?(?:contents?\\s+of\\s+)?(?:(?:the|my)\\s+)?(?:file\\s+)?(?<path>${FILE})$`,
      "i",
    ),
    read,
  ],
  [new RegExp(`^(?:ls|dir)(?:\\s+(?<path>${TOKEN}))?$`, "i"), list],
  [
    /^(?:list|show|display|give|see|print)\s+(?:me\s+)?(?:all\s+)?(?:of\s+)?(?:(?:the|my|your)\s+)?(?:files(?:\s+and\s+(?:folders|directories))?|folders|directories|contents|everything)(?:\s+(?:that\s+are\s+)?(?:(?:in|of|under|inside|at)\s+)?(?<path>\S.*))?$/i,
    list,
  ],
  [
    /^list\s+(?<path>(?:(?:the|this|my|your)\s+)?(?:(?:current|working)\s+)?(?:folder|directory|workspace)|here)$/i,
    list,
  ],
  [/^(?:what|which)\s+files\b.*?(?:\s(?:in|of|under|inside|at)\s+(?<path>\S.*)|\s+here)?$/i, list],
  [
    new RegExp(
      `^(?:read|cat)\\s+(?:me\\s+)?(?:(?:the|my)\\s+)?(?:contents?\\s+of\\s+)?(?:(?:the|my)\\s+)?(?:file\\s+)?(?<path>${TOKEN})$`,
      "i",
    ),
    read,
  ],
  [
    new RegExp(
      `^what(?:'s|\\s+is|\\s+stands)?\\s+(?:written\\s+)?(?:in|inside)\\s+(?:(?:the|my)\\s+)?(?:file\\s+)?(?<path>${FILE})$`,
      "i",
    ),
    read,
  ],
  [
    new RegExp(
      `^what\\s+does\\s+(?:(?:the|my)\\s+)?(?:file\\s+)?(?<path>${FILE})\\s+(?:say|contain|hold)$`,
      "i",
    ),
    read,
  ],
  [
    /^what(?:'s|\s+is)\s+(?:in\s+)?(?<path>here|(?:the|this|my|your)\s+(?:(?:current|working)\s+)?(?:folder|directory|workspace))$/i,
    list,
  ],
];

/**
 * Returns the wishes in a text, in order; empty if none of it is understood. Lines are tried one by
 * one if the whole is not a request.
 */
export function understand(text: string): readonly Wish[] {
  const whole = requests(text);
  if (whole.length > 0) return whole;
  for (const line of text.split("\n")) {
    const wishes = requests(line);
    if (wishes.length > 0) return wishes;
  }
  return [];
}

/**
 * "List the files and then read a.txt" is two requests, where each half is one; else the sentence
 * is one request.
 */
function requests(text: string): readonly Wish[] {
  const one = request(text);
  if (one && one.tool !== "file_list" && one.tool !== "file_read") return [one];
  const parts = text.split(
    new RegExp(`(?:,?\\s+and(?:\\s+then)?|,?\\s+then|[,;.!])\\s+(?=(?:please\\s+)?(?:${VERB})\\b)`, "i"),
  );
  const all = parts.map(request).filter((wish) => wish !== undefined);
  if (parts.length > 1 && all.length === parts.length) return all;
  return one ? [one] : [];
}

function request(text: string): Wish | undefined {
  const plain = text.trim().replace(POLITE, "").replace(ENDING, "");
  for (const [pattern, reader] of RULES) {
    const match = pattern.exec(plain);
    const wish = match && reader(match.groups ?? {});
    if (wish) return wish;
  }
  return undefined;
}

function unquote(text: string): string {
  const inner = /^(?:`([^`]+)`|"([^"]+)"|'([^']+)')$/.exec(text.trim());
  return inner ? (inner[1] ?? inner[2] ?? inner[3] ?? "") : text.trim();
}

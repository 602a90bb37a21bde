import { replaceFolded } from "./folded.ts";
import { ibanLength, isCard } from "./numbers.ts";

/** Replaces what it knows in a text; takes time in proportion to its length. */
export type Rule = (text: string) => string;

const mark = (what: string) => `[redacted ${what}]`;
const all =
  (what: string, pattern: RegExp): Rule =>
  (text) =>
    text.replace(pattern, mark(what));
/** Keeps the first group, which says what it was. */
const value =
  (what: string, pattern: RegExp): Rule =>
  (text) =>
    text.replace(pattern, (_, before: string) => before + mark(what));

const KEY_LIMIT = 16_384;
const keyBegin = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const keyEnd = /-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;

/**
 * A key that has not ended yet is counted, so that the beginning of a stream never looks finished
 * while its rest is to come.
 */
const privateKeys: Rule = (text) => {
  let clean = "";
  let from = 0;
  for (const { index } of text.matchAll(keyBegin)) {
    if (index < from) continue;
    keyEnd.lastIndex = index;
    const end = keyEnd.exec(text);
    const whole = end !== null && end.index - index <= KEY_LIMIT;
    const to = whole ? end.index + end[0].length : Math.min(text.length, index + KEY_LIMIT);
    clean += text.slice(from, index) + mark(whole ? "private key" : `private key, ${to - index} characters`);
    from = to;
  }
  return clean + text.slice(from);
};

const vendors = [
  /(?:sk|pk|rk)-(?=[A-Za-z_-]{0,64}\d)[A-Za-z0-9_-]{20,200}/,
  /(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,200}/,
  /whsec_[A-Za-z0-9+/=]{20,100}/,
  /gh[pousr]_[A-Za-z0-9]{30,255}/,
  /github_pat_[A-Za-z0-9_]{22,255}/,
  /gl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_.-]{16,255}/,
  /xox[abeoprs]-[A-Za-z0-9-]{10,255}/,
  /xapp-[0-9]-[A-Za-z0-9-]{10,255}/,
  /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])/,
  /AIza[A-Za-z0-9_-]{35}/,
  /ya29\.[A-Za-z0-9_-]{20,2048}/,
  /1\/\/0[A-Za-z0-9_-]{30,512}/,
  /GOCSPX-[A-Za-z0-9_-]{20,64}/,
  /EAA[A-Za-z0-9]{60,512}/,
  /[0-9]{8,10}:AA[A-Za-z0-9_-]{32,64}/,
  /[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,64}/,
  /(?:hf|npm|r8|gsk|xai|nvapi|pplx|lin_api|shp(?:at|ss|ca|pa)|dop_v1|doo_v1|figd|tvly|dckr_pat|pypi|sntrys|pul|tskey|glsa|ntn|sbp)[_-](?=[A-Za-z_.-]{0,64}\d)[A-Za-z0-9_.-]{24,512}/,
  /(?:hvs|hvb|hvr)\.[A-Za-z0-9_-]{24,512}/,
  /dapi[a-f0-9]{32}/,
  /SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}/,
  /AGE-SECRET-KEY-1[A-Z0-9]{50,70}/,
  /gt_[A-Za-z0-9_-]{43}/,
  /eyJ[A-Za-z0-9_-]{8,8192}\.eyJ[A-Za-z0-9_-]{4,8192}(?:\.[A-Za-z0-9_-]{0,8192}){0,3}/,
];
const vendorKeys = new RegExp(`(?<![A-Za-z0-9_-])(?:${vendors.map(({ source }) => source).join("|")})`, "g");

const secretWords =
  "pass(?:word|wd|phrase)?|pwd|secret(?:[_-]?(?:access[_-]?)?key)?|(?:api|access|auth|private|signing|encryption|account)[_-]?key|(?:access|auth|refresh|bearer|session|id|verify|bot)?[_-]?token|client[_-]?secret|credentials?";
const querySecrets =
  /([?&;](?:key|sig|signature|code|auth|assertion|hub\.verify_token|[\w.-]{0,40}(?:token|secret|password|passwd|api_?key))=)(?!\[redacted)[^&\s"'#<>`]{1,4096}/gi;
const assigned = new RegExp(
  `((?<![A-Za-z])(?:${secretWords})["']?\\s{0,3}(?:=|:|=>|:=)\\s{0,3}["'\`]?)(?=[^\\s"'\`,;]{0,200}\\d)(?=[^\\s"'\`,;]{0,200}[A-Za-z])[^\\s"'\`,;&(){}<>[\\]$]{6,512}`,
  "gi",
);

// Between two groups of digits stands a sign, the same throughout, or the end of a line in place of
// one of them.
const GAP = String.raw`(?:[ \t]{1,2}|[.-]|[ \t]?\r?\n)`;
const cardNumbers = new RegExp(
  String.raw`(?<![\w+]|\d[.,-])(?:\d{4}${GAP}\d{4}${GAP}\d{4}${GAP}\d{1,7}|\d{4}${GAP}\d{6}${GAP}\d{4,5}|\d{13,19})(?!\w|[.,-]\d)`,
  "g",
);
const cards: Rule = (text) =>
  replaceFolded(text, cardNumbers, (found) => {
    const gaps = found.split(/\d+/).filter((gap) => gap !== "");
    const signs = new Set(gaps.filter((gap) => !gap.includes("\n")));
    // A column of numbers is not a card.
    if (gaps.length > 0 && signs.size !== 1) return undefined;
    return isCard(found.replace(/\D/g, "")) ? { length: found.length, mark: mark("card number") } : undefined;
  });

const ibanLike = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:(?:[ \t-]|\r?\n)?[A-Z0-9]){11,31}/gi;
const ibans: Rule = (text) =>
  replaceFolded(text, ibanLike, (found, all, at) => {
    const length = ibanLength(found + (/^[A-Za-z0-9]/.exec(all.slice(at + found.length))?.[0] ?? ""));
    return length === 0 ? undefined : { length, mark: mark("IBAN") };
  });

// With a country code, as North America writes them, and with a leading 0.
const phoneNumbers: readonly (readonly [pattern: RegExp, least: number, most: number])[] = [
  [/(?<![\w+.])\+[1-9]\d{0,3}(?:[ .\-/]?\(?\d{1,12}\)?){1,7}(?!\w)/g, 9, 15],
  [/(?<![\w.:,\-/])00[1-9]\d{0,2}(?:[ .\-/]\(?\d{1,12}\)?){1,7}(?!\w|[.:,-]\d)/g, 11, 17],
  [
    /(?<![\w.\-/])(?:1[-. ])?(?:\([2-9]\d{2}\) ?\d{3}|[2-9]\d{2}-\d{3}|[2-9]\d{2}[. ][2-9]\d{2})[-. ]\d{4}(?!\w|[.-]\d)/g,
    10,
    11,
  ],
  [/(?<![\w.:,\-/])\(?0[1-9]\d{1,3}\)?[ \-/]{1,3}\d{3,8}(?:[ -]\d{2,5}){0,2}(?!\w|[.:,-]\d)/g, 9, 12],
];
const phones: Rule = (text) =>
  phoneNumbers.reduce(
    (clean, [pattern, least, most]) =>
      replaceFolded(clean, pattern, (found) => {
        const digits = found.replace(/\D/g, "").length;
        return digits >= least && digits <= most
          ? { length: found.length, mark: mark("phone number") }
          : undefined;
      }),
    text,
  );

const emails: Rule = (text) =>
  /[@\uff20]/.test(text)
    ? text.replace(
        /[\p{L}\p{N}._%+'-]{1,64}[@\uff20](?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.){1,8}(?:\p{L}{2,24}|xn--[a-z0-9-]{2,59})(?![\p{L}\p{N}-])/gu,
        (found) =>
          // So are repositories written, not people.
          found.startsWith("git@") ? found : mark("e-mail"),
      )
    : text;

/** In this order: what holds other things comes first. */
export const builtIn: readonly Rule[] = [
  privateKeys,
  value("password", /(\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s/:@"'<>]{0,256}:)[^\s/@"'<>]{1,256}(?=@)/gi),
  all("credential", vendorKeys),
  value("credential", querySecrets),
  value(
    "credential",
    /(\b(?:proxy-)?authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:[a-z]{3,12}\s{1,3})?)(?!\[redacted)[A-Za-z0-9._~+/=-]{8,4096}/gi,
  ),
  value("credential", /(\bbearer\s{1,3})(?=[^\s]{0,256}\d)[A-Za-z0-9._~+/=-]{16,4096}/gi),
  value("credential", assigned),
  emails,
  ibans,
  cards,
  phones,
];

/**
 * True for digits that a card issuer would give out: a known beginning, the right length, the check
 * digit.
 */
export function isCard(digits: string): boolean {
  return cards.test(digits) && luhn(digits);
}

const cards =
  /^(4(\d{12}|\d{15}|\d{18})|(5[1-5]|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d+|3[47]\d{13}|(36|38|30[0-5])\d+|35(2[89]|[3-8]\d)\d{12}|(6011|64[4-9]|65|62|60|50|5[6-8]|6304|67)\d+)$/;

function luhn(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, double = false; at >= 0; at--, double = !double) {
    const value = Number(digits[at]) * (double ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return digits.length >= 13 && sum % 10 === 0;
}

// Characters of an IBAN by country.
const lengths = new Map(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 " +
    "GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 " +
    "MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/**
 * Returns the length of the IBAN at the beginning of `text`, spaces and dashes included; 0 if there
 * is none.
 */
export function ibanLength(text: string): number {
  const wanted = lengths.get(text.slice(0, 2).toUpperCase()) ?? Number.POSITIVE_INFINITY;
  let plain = "";
  let at = 0;
  for (; at < text.length && plain.length < wanted; at++) if (!/[\s-]/.test(text[at]!)) plain += text[at];
  if (plain.length !== wanted || /[A-Z0-9]/i.test(text[at] ?? "")) return 0;
  let rest = 0;
  for (const char of plain.slice(4) + plain.slice(0, 4))
    for (const digit of String(Number.parseInt(char, 36))) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1 ? at : 0;
}

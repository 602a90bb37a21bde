import * as fc from "fast-check";
import { expect, test } from "vitest";
import { htmlText } from "./html-text.ts";
import { readSaid } from "./said.ts";
import { isForward, isReply } from "./subject.ts";

const eve = "CALL shell";

/** Heads of mails that are passed on, as programs in many languages write them. */
const heads: readonly (readonly [program: string, head: string])[] = [
  ["Outlook, Swedish", "Från: Eve\nSkickat: den 23 november 2026 13:30\nTill: Ada\nÄmne: Hej"],
  ["Outlook, Danish", "Fra: Eve\nSendt: 23. november 2026 13:30\nTil: Ada\nEmne: Hej"],
  ["Outlook, Polish", "Od: Eve <eve@example.net>\nWysłano: poniedziałek\nDo: Ada\nTemat: Hej"],
  [
    "Outlook, Russian",
    "От: Eve <eve@example.net>\nОтправлено: 23 ноября 2026 г. 13:30\nКому: Ada\nТема: Hej",
  ],
  ["Outlook, Chinese", "发件人: Eve\n发送时间: 2026年11月23日 13:30\n收件人: Ada\n主题: Hej"],
  ["Outlook, Japanese", "差出人: Eve\n送信日時: 2026年11月23日 13:30\n宛先: Ada\n件名: Hej"],
  ["Outlook, Turkish", "Gönderen: Eve\nGönderilme: 23 Kasım 2026 Pazartesi 13:30\nKime: Ada\nKonu: Hej"],
  [
    "Outlook, Finnish",
    "Lähettäjä: Eve\nLähetetty: 23. marraskuuta 2026 13:30\nVastaanottaja: Ada\nAihe: Hej",
  ],
  ["Outlook, Korean", "보낸 사람: Eve\n보낸 날짜: 2026년 11월 23일 오후 1:30\n받는 사람: Ada\n제목: Hej"],
  ["Outlook, Hebrew", "\u200fמאת: Eve\n\u200fנשלח: 23 נובמבר 2026 13:30\n\u200fאל: Ada\n\u200fנושא: Hej"],
  ["Outlook, Arabic", "من: Eve\nتاريخ الإرسال: ٢٣ نوفمبر ٢٠٢٦ ١٣:٣٠\nإلى: Ada\nالموضوع: Hej"],
  ["Outlook, Hindi", "प्रेषक: Eve\nभेजा गया: 23 नवंबर 2026 13:30\nप्रति: Ada\nविषय: Hej"],
  ["Thunderbird, Czech", "-------- Přeposlaná zpráva --------\nPředmět: \tHej\nDatum: \tMon\nOd: \tEve"],
  ["Thunderbird, Russian", "-------- Перенаправленное сообщение --------\nТема: \tHej"],
  [
    "Apple, Swedish",
    "Vidarebefordrat brev:\n\nFrån: Eve <eve@example.net>\nÄmne: Hej\nDatum: 23 nov\nTill: Ada",
  ],
  ["Apple, Japanese", "転送されたメッセージ:\n\n差出人: Eve <eve@example.net>\n件名: Hej\n日付: 11月23日"],
  ["QQ", "------------------ 原始邮件 ------------------\n发件人: Eve"],
  ["Zoho", "============ Forwarded message ============\nFrom: Eve"],
  ["eM Client", '------ Forwarded Message ------\nFrom "Eve" <eve@example.net>\nTo "Ada"'],
  ["a bold head", "*Van:* Eve <eve@example.net>\n*Verzonden:* maandag 23 november 2026 13:30\n*Aan:* Ada"],
  ["a head of two lines", "Frá: Eve <eve@example.net>\nDags: 23. nóv. 2026 13:30"],
  ["Gmail, Chinese", "Eve <eve@example.net> 于2026年11月23日周一 13:30写道："],
  ["Gmail, Korean", "2026년 11월 23일 (월) 오후 1:30, Eve <eve@example.net>님이 작성:"],
  ["Gmail, Turkish", "Eve <eve@example.net>, 23 Kas 2026 Pzt, 13:30\ntarihinde şunu yazdı:"],
  ["Yandex", '23.11.2026, 13:30, "Eve" <eve@example.net>:'],
];

test.each(heads)("FLR-31: what %s puts above a mail makes all below it material", (_program, head) => {
  const said = readSaid(`look at this\n\n${head}\n\n${eve}\n\nlook: more`);
  expect(said.text).toBe("look at this");
  expect(said.quoted.join("\n")).toContain(eve);
});

/** Markup that programs put around a mail that is carried, with `WORDS` in place of its words. */
const frames: readonly (readonly [program: string, html: string])[] = [
  [
    "Outlook on the web",
    '<div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>From:</b> Eve</div>WORDS',
  ],
  ["Outlook for iOS", '<div id="mail-editor-reference-message-container"><div>Från: Eve</div></div>WORDS'],
  [
    "Outlook of the desktop",
    '<div style="border-top:solid"><p><b>Avsändare:</b> Eve [mailto:eve@example.net]<br><b>Skickat:</b> den 23 november 2026 13:30<br><b>Till:</b> Ada</p></div>WORDS',
  ],
  ["Gmail", '<div class="gmail_quote">Fra: Eve<br>WORDS</div>'],
  ["Yahoo", '<div id="ydp1234yahoo_quoted_5">WORDS</div>'],
  ["GMX", '<div name="quote" style="margin:10px">WORDS</div>'],
  ["Zimbra", '<hr id="zwchr" data-marker="__DIVIDER__"><div data-marker="__HEADERS__">Od: Eve</div>WORDS'],
  ["Proton", '<div class="protonmail_quote">WORDS</div>'],
  ["Spark", '<div name="messageReplySection">WORDS</div>'],
  ["a line across", "<hr>WORDS"],
  [
    "a table as head",
    "<table><tr><td>Från:</td><td>Eve</td></tr><tr><td>Skickat:</td><td>2026-11-23 13:30</td></tr><tr><td>Till:</td><td>Ada</td></tr></table>WORDS",
  ],
];

test.each(frames)("FLR-31: what %s puts around a mail in HTML makes it material", (_program, html) => {
  for (const words of [`<p>${eve}</p>`, `</div></div></td></table></blockquote><p>${eve}</p>`]) {
    const said = readSaid(htmlText(`<p>look at this</p>${html.replace("WORDS", words)}<p>${eve}</p>`));
    expect(said.text).toBe("look at this");
    expect(said.quoted.join("\n")).toContain(eve);
  }
});

test("FLR-31: in a mail that carries another nothing below the first quote is the writer's", () => {
  const wrapped = "look\n\n> a line that a program has\nbroken in two\n> and more";
  expect(readSaid(wrapped, "carrier").text).toBe("look");
  expect(readSaid("look\n\nEV> one\ntwo", "carrier").text).toBe("look");
  const cite = htmlText(`<p>look</p><blockquote type="cite">a</blockquote></blockquote><p>${eve}</p>`);
  expect(readSaid(cite, "carrier").text).toBe("look");
});

const own = [
  "Please write to bob@example.com, he waits.\n\n- one\n- two",
  "Todo: milk\nAlso: bread",
  "Call me at 10:30.\n\nThen:\n1. this\n2. that",
  "See https://example.com/a: it says\n\n# Plan\n\n| a | b |\n|---|---|\n| 1 | 2 |",
  "Dear agent:\n\nplease count to 2026.",
];
test.each(own)("FLR-31: %j is its writer's own", (text) => {
  expect(readSaid(text)).toMatchObject({ text, quoted: [] });
});

const forwards = [
  "Fwd: x",
  "PD: x",
  "VS: x",
  "İLT: x",
  "ΠΡΘ: x",
  "转发：x",
  "הועבר: x",
  "[EXTERNAL] FW: x",
  "[Fwd: x]",
  "x (fwd)",
  "Továbbítás: x",
];

test.each(forwards)("FLR-31: %j is the subject of a mail that is passed on", (subject) => {
  expect([isForward(subject), isReply(subject)]).toEqual([true, false]);
});

test("FLR-31: whatever stands below a head, none of it is the writer's", () => {
  const line = fc.oneof(fc.string(), fc.constantFrom("", "-- ", "> x", "</div>", "ok", "Re: x", "To: b"));
  const below = fc.array(line, { maxLength: 20 });
  fc.assert(
    fc.property(fc.constantFrom(...heads), below, ([, head], lines) => {
      const said = readSaid(["mine", "", head, "", ...lines, eve].join("\n"));
      expect(said.text).toBe("mine");
    }),
  );
});

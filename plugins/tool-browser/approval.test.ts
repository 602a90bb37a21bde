import { once } from "node:events";
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Approvals, type ApprovalRequest, ask, definePlugin } from "@gantry/sdk";
import { expect, test, vi } from "vitest";
import { type BrowserKit, numberOf, startBrowser, until } from "./browser.test-kit.ts";
import { engines } from "./engines.test-kit.ts";
import { startShop } from "./shop.test-kit.ts";

vi.setConfig({ testTimeout: 180_000 });

/** Whatever is done in a page is asked for. */
const asking = definePlugin({
  name: "guard-asking",
  taps: ["beforeToolCall"],
  setup(host) {
    host.hooks.beforeToolCall.tap(() => ask({ code: "ASKING", message: "It asks." }));
  },
});

/**
 * One action that a person allows after `meanwhile`; what they were asked, and what the model is
 * told.
 */
async function allowed(
  { host }: BrowserKit,
  args: Readonly<Record<string, unknown>>,
  meanwhile: () => unknown = () => undefined,
): Promise<{ readonly asked: ApprovalRequest; readonly said: string }> {
  const questions: ApprovalRequest[] = [];
  const { code, text } = await host.call("browser", args, {
    session: "one",
    approvals: "ask",
    onEvent: (event) => {
      if (event.type !== "approval_request") return;
      questions.push(event.request);
      const allow = () => host.slot(Approvals).decide(event.request.id, "allow", { user: "cli:test" });
      void Promise.resolve(meanwhile()).then(allow);
    },
  });
  return { asked: questions[0]!, said: code === undefined ? text : `${code}: ${text}` };
}

/** Scripts that change the page when the server says so, and ask for `/turned` then. */
const turns: Readonly<Record<string, string>> = {
  "its address": "x.href = '/pay?sum=5000'",
  "its words": "x.textContent = 'Pay 5000 EUR now'",
  "the action of its form": "f.action = '/pay'",
  "the element itself": "x.replaceWith(x.cloneNode(true))",
};

/** Scripts that change what a form sends, though its button stays what it is. */
const sends: Readonly<Record<string, string>> = {
  "a hidden field": "f.elements.sum.value = '99999'",
  "a hidden field behind a false value":
    "f.elements.sum.value = '99999'; Object.defineProperty(f.elements.sum, 'value', { get: () => '1' })",
  "a field that is seen": "f.elements.words.value = 'Eve'",
  "a box": "f.elements.box.checked = true",
  "a choice": "f.elements.choice.value = 'b'",
  "a new field": "f.insertAdjacentHTML('beforeend', '<input type=hidden name=to value=eve>')",
  "a field that was off": "f.elements.off.disabled = false",
};

/** A page whose script waits for the word of the test. */
async function startTurning() {
  const asked: string[] = [];
  const waiting: ServerResponse[] = [];
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    if (url === "/turn") return void waiting.push(response);
    const what = decodeURIComponent(url.slice(1));
    const turn = turns[what] ?? sends[what] ?? "";
    const hover = url === "/hover" ? "x.onmouseover = () => { x.href = '/pay'; };" : "";
    const cover = "<a href='/pay' style='position:fixed;inset:0;opacity:0'>Pay</a>";
    const over = url === "/over" ? `document.body.insertAdjacentHTML('beforeend', "${cover}");` : turn;
    response.writeHead(200, { "content-type": "text/html" }).end(`<title>News</title><body>
      <a id=x href="/no">No "thanks",\n close this</a><form id=f action="/sent"><input name=action aria-label=Words><button>Send</button>
      <input type=hidden name=sum value=1><input type=hidden name=off value=1 disabled><input name=words><input type=checkbox name=box><select name=choice><option>a<option>b</select></form>
      <script>const x = document.getElementById('x'), f = document.forms[0]; ${hover}
      const action = Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, 'action');
      fetch('/turn').then(() => { ${over.replace("f.action = '/pay'", "action.set.call(f, '/pay')")}; fetch('/turned'); })</script>`);
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  return {
    url: `http://shop.example:${(server.address() as AddressInfo).port}`,
    asked,
    async turn() {
      await until(() => waiting.length > 0);
      for (const response of waiting.splice(0)) response.end();
      await until(() => asked.includes("/turned"));
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

for (const [name, can, left, run] of engines) {
  test.runIf(can)(
    `BR-16, SEC-02: a yes for an element holds for what it was when it was asked for: a page that changes it meanwhile is not clicked, ${name}${left}`,
    () =>
      run(async (_, __, start) => {
        await using page = await startTurning();
        await using kit = await start([asking]);
        for (const what of Object.keys(turns)) {
          const first = await kit.act({ action: "open", url: `${page.url}/${encodeURIComponent(what)}` });
          const isForm = what.includes("form");
          const element = numberOf(first, isForm ? 'button "Send"' : 'link "No');
          const { asked, said } = await allowed(kit, { action: "click", element }, () => page.turn());
          expect(asked.preview).toContain(`of "${page.url}/${encodeURIComponent(what)}"`);
          expect(asked.preview).toContain(
            isForm ? '"Send"' : `"link" "No \\"thanks\\", close this" of "${page.url}`,
          );
          expect(asked.preview).toContain(`which leads to "${page.url}/${isForm ? "sent" : "no"}"`);
          expect(asked.preview).not.toContain("\n");
          expect([what, said]).toEqual([what, expect.stringMatching(/^(APPROVAL_CHANGED|BROWSER_INERT)/)]);
          page.asked.splice(0);
        }
        const first = await kit.act({ action: "open", url: `${page.url}/plain` });
        const words = {
          action: "type",
          element: numberOf(first, 'textbox "Words"'),
          text: "ok",
          submit: true,
        };
        const typed = await allowed(kit, words, () => page.turn());
        expect(typed.asked.preview).toMatch(/"textbox" "Words" of .*\/sent" - "ok" and press Enter$/);
        expect(typed.said).toContain("/sent?action=ok");
        expect(page.asked.filter((one) => /^\/(pay|no)/.test(one))).toEqual([]);
      }),
  );

  test.runIf(can)(`FLR-38: a yes to a click covers what the form sends, seen or hidden, ${name}${left}`, () =>
    run(async (_, __, start) => {
      await using page = await startTurning();
      await using kit = await start([asking]);
      for (const what of Object.keys(sends)) {
        const first = await kit.act({ action: "open", url: `${page.url}/${encodeURIComponent(what)}` });
        const click = { action: "click", element: numberOf(first, 'button "Send"') };
        const { said } = await allowed(kit, click, () => page.turn());
        expect([what, said]).toEqual([what, expect.stringMatching(/^(APPROVAL|BROWSER)_CHANGED/)]);
        expect(page.asked.filter((one) => one.startsWith("/sent"))).toEqual([]);
        page.asked.splice(0);
      }
      const first = await kit.act({ action: "open", url: `${page.url}/plain` });
      const { said } = await allowed(kit, { action: "click", element: numberOf(first, 'button "Send"') });
      expect(said).toContain("/sent?action=&sum=1");
    }),
  );

  test.runIf(can)(
    `BR-16: what a page lays over an element, or changes as the mouse comes, is not what was allowed, ${name}${left}`,
    () =>
      run(async (_, __, start) => {
        await using page = await startTurning();
        await using kit = await start([asking]);
        for (const what of name === "chromium" ? ["over", "hover"] : ["over"]) {
          const first = await kit.act({ action: "open", url: `${page.url}/${what}` });
          const click = { action: "click", element: numberOf(first, 'link "No') };
          const { said } = await allowed(kit, click, () => page.turn());
          expect(said).toMatch(/^BROWSER_(INERT|CHANGED)/);
          page.asked.splice(0);
        }
        expect(page.asked).toEqual([]);
      }),
  );
}

test("BR-16: of pages without scripts too a question says on which page what is done to what, and where it leads", async () => {
  await using shop = await startShop();
  await using kit = await startBrowser("http", { plugins: [asking] });
  await kit.act({ action: "open", url: `${shop.url}/search` });
  const { asked, said } = await allowed(kit, { action: "type", element: 1, text: "oak\nno", submit: true });
  expect(asked.preview).toBe(
    `browser: type element 1 - the "textbox" "Words" of "${shop.url}/search", which leads to "${shop.url}/found" - "oak\\nno" and press Enter`,
  );
  expect(said).toContain("You asked for");
  const back = await allowed(kit, { action: "back" });
  expect(back.asked.preview).toMatch(new RegExp(`^browser: back on "${shop.url}/found`));
  expect((await allowed(kit, { action: "click", element: 99 })).said).toMatch(/^BROWSER_ELEMENT/);
});

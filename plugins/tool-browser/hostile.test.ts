import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { numberOf } from "./browser.test-kit.ts";
import { engines } from "./engines.test-kit.ts";

vi.setConfig({ testTimeout: 180_000 });

for (const [name, can, left, run] of engines) {
  test.runIf(can)(
    `BR-08: no file of this machine is handed to a page, whatever its path is typed into, ${name}${left}`,
    () =>
      run(async (kit, shop) => {
        const folder = mkdtempSync(path.join(tmpdir(), "gantry-secret-"));
        const file = path.join(folder, "secret.txt");
        writeFileSync(file, "what nobody may have");
        const form = await kit.act({ action: "open", url: `${shop.url}/upload` });
        const fields = /^\[(\d+)\] button "Paper/m.exec(form)?.[1];
        for (const element of [Number(fields), numberOf(form, 'textbox "Path"')])
          await kit.act({ action: "type", element, text: file });
        const now = await kit.act({ action: "read" });
        expect(now).not.toContain("secret.txt");
        await kit.act({ action: "click", element: numberOf(now, 'button "Send"') });
        expect(shop.asked).toContain("POST /ordered");
        expect(shop.asked.join("\n")).not.toMatch(/what nobody may have|secret\.txt/);
        rmSync(folder, { recursive: true });
      }),
  );

  test.runIf(can)(
    `BR-11, BR-14: a page with dialogs without end, or a script without end, holds its conversation up for a while and not for good, ${name}${left}`,
    () =>
      run(
        async (kit, shop) => {
          expect(await kit.act({ action: "open", url: `${shop.url}/alerts` })).toMatch(
            /^BROWSER_LOST.*dialogs without end/,
          );
          const page = await kit.act({ action: "open", url: `${shop.url}/endless` });
          const said = await kit.act({ action: "click", element: numberOf(page, 'button "Press"') });
          expect(said).toMatch(/was stopped|^BROWSER_LOST|^BROWSER_INERT/);
          expect(said).not.toMatch(/^TOOL_/);
          expect(await kit.act({ action: "open", url: `${shop.url}/lamp` })).toContain("A lamp of brass");
        },
        { browser_timeout_seconds: 5 },
      ),
  );
}

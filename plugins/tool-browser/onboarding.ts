import type { OnboardingStep } from "@gantry/sdk";

const backends = ["http", "chromium", "webdriver"];

export const onboarding: OnboardingStep = {
  title: "A web browser",
  hint: "reads pages; with a Chromium it clicks and types too",
  sets: "tool",
  async ask(questions) {
    const backend = await questions.text("http (reads only), chromium (behind the walls) or webdriver?", {
      initial: (await hasChromium()) ? "chromium" : "http",
      check: (text) => (backends.includes(text) ? undefined : `One of ${backends.join(", ")}, please.`),
    });
    const domains = await questions.text("Domains that it may open, with blanks between them", {
      check: (text) => (text.trim() === "" ? "Without one it can open nothing." : undefined),
    });
    const driver =
      backend === "webdriver"
        ? {
            "tools.webdriver_url": await questions.text("Address of the driver", {
              initial: "http://127.0.0.1:9515",
            }),
          }
        : {};
    return {
      "security.browser_enabled": true,
      "security.allowed_domains": domains.trim().split(/\s+/),
      "tools.browser_backend": backend,
      ...driver,
    };
  },
  check: "browser-doctor",
};

async function hasChromium(): Promise<boolean> {
  const { findChromium } = await import("./chromium.ts");
  try {
    return findChromium(undefined) !== "";
  } catch {
    return false;
  }
}

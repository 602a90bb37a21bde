import type { OnboardingQuestions, OnboardingStep } from "@gantry/sdk";
import { present } from "./device.ts";

type Keys = Readonly<Record<string, unknown>>;

export const onboarding: OnboardingStep = {
  title: "A device: a serial port, or a line of a GPIO chip",
  hint: "the model sees its name and never its path",
  sets: "tool",
  async ask(questions) {
    const name = await questions.text("A name for the device, as the model shall call it", {
      check: wrongName,
    });
    const isSerial = await questions.yes("Is it at a serial port (no: at a GPIO chip)?", true);
    const keys = isSerial ? await serialKeys(questions) : await gpioKeys(questions);
    return Object.fromEntries(
      Object.entries(keys).map(([key, value]) => [`peripherals.${name}.${key}`, value]),
    );
  },
  check: "peripherals",
};

async function serialKeys(questions: OnboardingQuestions): Promise<Keys> {
  const [first = ""] = await present("serial");
  const path = await questions.text("Path of the port", { initial: first, check: wrongPath });
  const baud = await questions.text("Speed in baud", { initial: "115200", check: wrongNumber });
  return { kind: "serial", path, baud: Number(baud) };
}

async function gpioKeys(questions: OnboardingQuestions): Promise<Keys> {
  const [first = "/dev/gpiochip0"] = await present("gpio");
  const chip = await questions.text("Path of the chip", { initial: first, check: wrongPath });
  const line = await questions.text("A name for the line, such as lamp", { check: wrongName });
  const offset = await questions.text("Its number on the chip", { check: wrongNumber });
  const isOutput = await questions.yes("May the model switch it (no: only read it)?", false);
  return {
    kind: "gpio",
    chip,
    [`lines.${line}.offset`]: Number(offset),
    [`lines.${line}.direction`]: isOutput ? "out" : "in",
  };
}

function wrongName(text: string): string | undefined {
  return /^[a-z0-9][a-z0-9_-]{0,31}$/i.test(text) ? undefined : "Letters, digits, _ and -, please.";
}

function wrongPath(text: string): string | undefined {
  return text.startsWith("/") ? undefined : "Please write the path from the root, as in /dev/ttyUSB0.";
}

function wrongNumber(text: string): string | undefined {
  return /^\d{1,7}$/.test(text) ? undefined : "A whole number, please.";
}

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { flags, lineInfoOf, lineRequest, lineValues, requests, sizes } from "./gpio-abi.ts";

const header = "/usr/include/linux/gpio.h";
/** Left out where there is nothing to compare with. */
const left = `there is no C compiler or no ${header} here`;
const hasCompiler = spawnSync("cc", ["--version"]).status === 0 && existsSync(header);

/** Returns the output of a C program that has the kernel's own header. */
function printed(body: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), "gantry-abi-"));
  try {
    const [source, program] = [path.join(folder, "abi.c"), path.join(folder, "abi")];
    const includes = "#include <linux/gpio.h>\n#include <stdio.h>\n#include <stddef.h>\n#include <string.h>";
    writeFileSync(source, `${includes}\nint main(void) {\n${body}\nreturn 0; }\n`);
    execFileSync("cc", ["-o", program, source]);
    return execFileSync(program, { encoding: "utf8" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function dump(variable: string): string {
  return `for (size_t i = 0; i < sizeof ${variable}; i++) printf("%02x", ((unsigned char *)&${variable})[i]); puts("");`;
}

test("TOL-03: sizes and numbers are those of linux/gpio.h, told by a compiler", ({ skip }) => {
  skip(!hasCompiler, left);
  const names = {
    "sizeof(struct gpiochip_info)": sizes.chipInfo,
    "sizeof(struct gpio_v2_line_info)": sizes.lineInfo,
    "sizeof(struct gpio_v2_line_request)": sizes.lineRequest,
    "sizeof(struct gpio_v2_line_values)": sizes.lineValues,
    GPIO_GET_CHIPINFO_IOCTL: requests.chipInfo,
    GPIO_V2_GET_LINEINFO_IOCTL: requests.lineInfo,
    GPIO_V2_GET_LINE_IOCTL: requests.line,
    GPIO_V2_LINE_GET_VALUES_IOCTL: requests.getValues,
    GPIO_V2_LINE_SET_VALUES_IOCTL: requests.setValues,
    GPIO_V2_LINE_FLAG_USED: flags.used,
    GPIO_V2_LINE_FLAG_ACTIVE_LOW: flags.activeLow,
    GPIO_V2_LINE_FLAG_INPUT: flags.input,
    GPIO_V2_LINE_FLAG_OUTPUT: flags.output,
    GPIO_V2_LINE_FLAG_BIAS_PULL_UP: flags.pullUp,
    GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN: flags.pullDown,
    GPIO_V2_LINE_FLAG_BIAS_DISABLED: flags.biasOff,
  };
  const body = Object.keys(names).map((name) => `printf("%llu\\n", (unsigned long long)(${name}));`);
  const told = printed(body.join("\n")).trim().split("\n").map(Number);
  expect(told).toEqual(Object.values(names));
});

test("TOL-03: what is asked of the kernel is byte for byte what a C program asks", ({ skip }) => {
  skip(!hasCompiler, left);
  const [request = "", values = "", info = ""] = printed(`
    struct gpio_v2_line_request r; memset(&r, 0, sizeof r);
    r.offsets[0] = 17; strcpy(r.consumer, "gantry"); r.num_lines = 1;
    r.config.flags = GPIO_V2_LINE_FLAG_OUTPUT | GPIO_V2_LINE_FLAG_ACTIVE_LOW;
    r.config.num_attrs = 1; r.config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
    r.config.attrs[0].attr.values = 1; r.config.attrs[0].mask = 1;
    struct gpio_v2_line_values v = { .bits = 1, .mask = 1 };
    struct gpio_v2_line_info l; memset(&l, 0, sizeof l); l.offset = 17;
    ${dump("r")} ${dump("v")} ${dump("l")}`).split("\n");
  const mine = lineRequest({
    offset: 17,
    consumer: "gantry",
    flags: flags.output | flags.activeLow,
    value: 1,
  });
  expect(Buffer.from(mine).toString("hex")).toBe(request);
  expect(Buffer.from(lineValues(1)).toString("hex")).toBe(values);
  expect(Buffer.from(lineInfoOf(17)).toString("hex")).toBe(info);
});

test("TOL-03: what the kernel tells is found where the header has it", ({ skip }) => {
  skip(!hasCompiler, left);
  const told = printed(`
    printf("%zu %zu %zu %zu %zu", offsetof(struct gpiochip_info, label), offsetof(struct gpiochip_info, lines),
      offsetof(struct gpio_v2_line_info, consumer), offsetof(struct gpio_v2_line_info, flags),
      offsetof(struct gpio_v2_line_request, fd));`);
  expect(told).toBe("32 64 32 72 588");
});

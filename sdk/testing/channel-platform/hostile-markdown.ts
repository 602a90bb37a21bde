/** Texts as models write them on a bad day. */
export const hostileMarkdown: readonly string[] = [
  "**unclosed *and _nested ~~marks",
  "`code with **marks** & <b>tags</b>` and ``a ` tick``",
  "```js\nconst a = `x < 1 && y > 2`;\n```\n\nafter",
  "```\nnever closed\n*x*",
  "[a](https://a.test/?x=1&y=2) [b](javascript:alert(1)) ![c](https://a.test/c.png)",
  "<script>alert(1)</script> &amp; &lt; @everyone <@123> <!channel> #general",
  "- one\n- two\n  1. three\n\n> quoted\n> twice",
  "👩‍👩‍👧 e\u0301 🇩🇪 \u202e right to left",
  "snake_case_name and 2 * 3 * 4 and C:\\path\\*.txt",
  `long ${"word ".repeat(3_000)}`,
  `one ${"x".repeat(9_000)} word`,
  `${"**b** ".repeat(300)}`,
  `\`\`\`py\n${"print('a line of code')\n".repeat(400)}\`\`\``,
  "*".repeat(500),
  "[".repeat(500),
];

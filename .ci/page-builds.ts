import { cpSync, existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { defineConfig, type UserConfig } from "tsdown";

/**
 * The builds of the pages for browsers that plugins serve: `page/main.tsx` of a plugin, whose views
 * load each other when they are shown, and the files beside it that a browser reads as they are.
 */
export function pageBuilds(root: string, plugins: readonly string[]): readonly UserConfig[] {
  const paged = plugins.filter((name) => existsSync(path.join(root, "plugins", name, "page/main.tsx")));
  return paged.map((name) => {
    const from = path.join(root, "plugins", name, "page");
    const to = path.join(root, "host/dist/plugins", name, "page");
    return defineConfig({
      cwd: root,
      entry: { app: path.join(from, "main.tsx") },
      outDir: to,
      format: "esm",
      platform: "browser",
      target: "es2023",
      tsconfig: path.join(from, "tsconfig.json"),
      fixedExtension: false,
      dts: false,
      clean: false,
      logLevel: "warn",
      minify: true,
      // Not told to browsers: the licences of what is built in are read off it.
      sourcemap: "hidden",
      deps: { alwaysBundle: [/.*/], onlyBundle: false },
      inputOptions: { checks: { bundlerTimings: false } },
      outputOptions: { chunkFileNames: "[name]-[hash].js" },
      hooks: {
        "build:done": () => {
          const plain = readdirSync(from).filter((file) => /\.(?:html|css|svg)$/.test(file));
          for (const file of plain) cpSync(path.join(from, file), path.join(to, file));
        },
      },
    }) as UserConfig;
  });
}

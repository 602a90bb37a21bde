import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./packages.ts";
import { product } from "./product.ts";

/**
 * Writes `gantry.rb` for Homebrew into the folder that holds the npm package; `address` is where
 * that folder will be served. Throws if it is not a plain https address.
 */
export function writeFormula(folder: string, address: string): void {
  const { version, license, summary } = product();
  const tarball = `gantry-${version}.tgz`;
  const sum = createHash("sha256")
    .update(readFileSync(path.join(folder, tarball)))
    .digest("hex");
  const from = plainAddress(address);
  const text = `class Gantry < Formula
  desc "${summary.charAt(0).toUpperCase()}${summary.slice(1)}"
  homepage "${from}"
  url "${from}${tarball}"
  sha256 "${sum}"
  license "${license}"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec/"bin/gantry"
    package = libexec/"lib/node_modules/gantry/dist/package"
    man1.install_symlink package/"man/gantry.1"
    bash_completion.install_symlink package/"completion/gantry.bash" => "gantry"
    zsh_completion.install_symlink package/"completion/_gantry"
    fish_completion.install_symlink package/"completion/gantry.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/gantry --version")
  end
end
`;
  writeFileSync(path.join(folder, "gantry.rb"), text);
}

/** With a slash at its end, and nothing in it that Ruby would read. */
function plainAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "https:" || url.href !== `${url.origin}${url.pathname}`)
    throw new Error(
      `GANTRY_RELEASE_URL is ${address}: give the https address of the folder with the release`,
    );
  return url.href.replace(/\/*$/, "/");
}

if (process.argv[1] === import.meta.filename) {
  const address = process.env["GANTRY_RELEASE_URL"];
  if (address) writeFormula(path.join(root, "dist/executable"), address);
  else console.error("gantry.rb is not written: GANTRY_RELEASE_URL names no address to install from");
}

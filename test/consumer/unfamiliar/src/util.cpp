// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <vector>
std::string joined(const std::vector<std::string> &words) {
  std::string out;
  for (const std::string &word : words)
    out += word + ' ';
  return out;
}

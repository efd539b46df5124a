/* SPDX-License-Identifier: Apache-2.0 */
/* More hostile inputs of every kind, beside command_faults_test.c: what people mistype, cut short,
   convert wrongly or try on purpose. */
#include "refusal.h"

static void platform_files(void) {
    static const bad_case cases[] = {
        {MESH "name: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
         "p.yaml:4:7: key 'name': got 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
        {MESH "name: ../../etc\n",
         "p.yaml:4:7: key 'name': got '../../etc'; allowed: 1 .. 64 letters, digits and "},
        {MESH "columns : 4\n", "p.yaml:4:1: duplicate key 'columns'; it stands at 2:1 already"},
        {MESH "mtu_bytes: 1_\n",
         "p.yaml:4:12: key 'mtu_bytes': got '1_'; allowed: integer 1 .. 65536 bytes"},
        {MESH "mtu_bytes: 1KB\n",
         "p.yaml:4:12: key 'mtu_bytes': got '1KB'; allowed: integer 1 .. 65536 bytes"},
        {MESH "mtu_bytes: 64GiB\n",
         "p.yaml:4:12: key 'mtu_bytes': got '64GiB'; allowed: integer 1 .. 65536 bytes"},
        {"platform: mesh\ncolumns: 256\nrows: 256\nplanes: 256\n",
         "p.yaml: columns x rows x planes = 16777216 dies; allowed: at most 65536"},
        {"platform: fat_tree\nswitches: 2\ndies_per_switch: 2\nspines: 0\n",
         "p.yaml:4:9: key 'spines': got '0'; allowed: integer 1 .. 32768"},
        {"platform: pcie_box\nhost_bridges: 17\n",
         "p.yaml:2:15: key 'host_bridges': got '17'; allowed: integer 1 .. 16"},
        {"platform: graph\nnodes: {a: 1}\n", "p.yaml:2:8: key 'nodes' is a list"},
        {"platform: graph\nnodes: []\n",
         "p.yaml: key 'nodes': no node has dies; a graph needs at least one"},
        {"platform: graph\nnodes: [{name: a, dies: 1}]\nlinks: [{}]\n",
         "p.yaml:3:9: a link has either between: [node, node] or from: node and to: node"},
        {"platform: graph\nnodes: [{name: a, dies: 65537}]\n",
         "p.yaml:2:25: key 'dies': got '65537'; allowed: integer 0 .. 65536"},
        {MESH "routes: []\n",
         "p.yaml:4:1: unknown key 'routes' (value '...'); allowed: platform, name, costs"},
        {MESH "\? [a]\n: 1\n", "p.yaml:4:3: a key must be a scalar"},
        {MESH "trains: maybe\n",
         "p.yaml:4:9: key 'trains': got 'maybe'; allowed: on, off, true, false, yes, no"},
        {MESH "fidelity: exact\n", "p.yaml:4:11: key 'fidelity': got 'exact'; allowed: at, lt"},
        {"%YAML 9.9\n---\nplatform: mesh\ncolumns: 5\nrows: 5\n",
         "p.yaml:1:1: YAML syntax: the file cannot be read beyond the value that begins "},
        {MESH "\011vcs: 4\n", "p.yaml:3:7: YAML syntax: invalid multiline plain key"},
        {"{platform: mesh, columns: 5, rows: 5",
         "p.yaml:2:1: YAML syntax: missing comma in flow mapping"},
        {"platform: mesh\nplatform: mesh\nplatform: mesh\n",
         "p.yaml:2:1: duplicate key 'platform'; it stands at 1:1 already"},
        {"a: "
         "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]"
         "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
         "p.yaml:1:68: nested deeper than 64 levels"},
    };
    expect_files_refused("run %s tp_sp", "p.yaml", cases, COUNT(cases));
}

#define TENSORS "name: p\ntensors: {a: {}}\n"
#define PROGRAM                                                                                    \
    TENSORS                                                                                        \
    "meshes: {m: {place: block of 2x2}}\nlayouts: {p: {mesh: m, rank: partial}, r: {mesh: "        \
    "m, rank: replicate}, t: {mesh: m, rank: shard(tokens)}}\ninputs: {u: {tensor: a, "            \
    "layout: p}}\n"

static void program_files(void) {
    static const bad_case cases[] = {
        {"null\n", "p.yaml:1:1: 'item': got null; allowed: a mapping (key: value)"},
        {"3\n", "p.yaml:1:1: 'item': got 3; allowed: a mapping (key: value)"},
        {"name: p\n", "p.yaml:1:1: 'tensors' is missing"},
        {"name: [p]\nmeshes: {m: {place: block of 2x2}}\nlayouts: {p: {mesh: m, rank: partial}, r: "
         "{mesh: m, rank: replicate}, t: {mesh: m, rank: shard(tokens)}}\n",
         "p.yaml:1:7: key 'name': got a block; allowed: one word"},
        {PROGRAM "operations: {}\n",
         "p.yaml:6:1: 'operations': got a mapping; allowed: a list (- item)"},
        {PROGRAM "operations: [3]\n",
         "p.yaml:6:14: 'item': got 3; allowed: a mapping (key: value)"},
        {PROGRAM "operations: [{}]\n",
         "p.yaml:6:14: operation: got ''; allowed: one of reduce_scatter, all_gather, al"},
        {PROGRAM "operations: [{all_reduce: {}}]\n",
         "p.yaml:6:15: all_reduce: 'reads' is missing (value: layout)"},
        {PROGRAM "operations: [{all_reduce: {reads: {u: p}}}]\n",
         "p.yaml:6:15: all_reduce: 'writes' is missing (value: layout)"},
        {PROGRAM "operations: [{all_reduce: {reads: {u: p}, writes: {x: p}}}]\n",
         "p.yaml:6:15: all_reduce from [4: partial] on {0 1 5 6} to [4: partial] on {0 1"},
        {PROGRAM "operations: [{all_reduce: {reads: {u: r}, writes: {x: r}}}]\n",
         "p.yaml:6:15: all_reduce: value 'u' is [4: partial] on {0 1 5 6}, which does no"},
        {PROGRAM "operations: [{all_reduce: {reads: {u: nope}, writes: {x: r}}}]\n",
         "p.yaml:6:39: layout: got 'nope'; allowed: p, r, t"},
        {PROGRAM "operations: [{all_reduce: {reads: {u: p}, writes: {u: r}}}]\n",
         "p.yaml:6:52: value 'u' is written twice; allowed: once (name another value)"},
        {PROGRAM "operations: [{all_gather: {reads: {u: p}, writes: {x: r}}}]\n",
         "p.yaml:6:15: all_gather from [4: partial] on {0 1 5 6} to [4: replicate] on {0"},
        {PROGRAM "operations: [{all_reduce: {reads: {u: p}, writes: {x: r}, along: z}}]\n",
         "p.yaml:6:66: along: got 'z', but dimension 'rank' changes between the layouts"},
        {PROGRAM "operations: [{compute: {class: magic, reads: {u: p}}}]\n",
         "p.yaml:6:32: key 'class': got 'magic'; allowed: opaque, transparent, row_wise,"},
        {PROGRAM "operations: [{compute: {cycles: -4, reads: {u: p}}}]\n",
         "p.yaml:6:33: key 'cycles': got '-4'; allowed: integer 0 .. 1000000000000000 cy"},
        {PROGRAM "operations: [{all_reduce: {reads: {u: p}, writes: {x: r}}, all_gather: {}}]\n",
         "p.yaml:6:15: operation: got 'all_gather'; allowed: one of reduce_scatter, all_"},
        {PROGRAM "operations: [{wait: {}}]\n",
         "p.yaml:6:15: wait: 'reads' is missing (value: layout)"},
        {PROGRAM "operations: [{wait: {value: nothing}}]\n",
         "p.yaml:6:22: unknown key 'value'; allowed: name, reads, rank, communicator"},
        {TENSORS "meshes: {m: {}}\n", "p.yaml:3:10: mesh 'm': needs one of place and dies"},
        {TENSORS "meshes: {m: {place: block of 0x2}}\n",
         "p.yaml:3:21: place: got 'block of 0x2'; allowed: all, block of CxR, block N of"},
        {TENSORS "meshes: {m: {dies: []}}\n", "p.yaml:1:1: 'layouts' is missing"},
        {TENSORS "meshes: {m: {place: next block}}\n",
         "p.yaml:3:21: place: got 'next block'; allowed: all, block of CxR, block N of C"},
        {TENSORS "meshes: {m: {place: block of 2x2, dims: {a: q}}}\n",
         "p.yaml:3:45: dimension 'a': got 'q'; allowed: x, y, z, all or 1 .. 65536 dies"},
        {TENSORS "meshes: {m: {place: block of 2x2}}\nlayouts: {p: {mesh: n, rank: partial}}\n",
         "p.yaml:4:21: mesh: got 'n'; allowed: m"},
        {TENSORS
         "meshes: {m: {place: block of 2x2}}\nlayouts: {p: {mesh: m, rank: shard(depth)}}\n",
         "p.yaml:4:30: key 'rank': got 'shard(depth)'; allowed: replicate, shard(tokens)"},
        {TENSORS
         "meshes: {m: {place: block of 2x2}}\nlayouts: {p: {mesh: m, rank: routed_copy(0)}}\n",
         "p.yaml:4:30: key 'rank': got 'routed_copy(0)'; allowed: replicate, shard(token"},
        {"name: p\ntensors: {a: {tokens: 0, width: 4}}\n", "p.yaml:1:1: 'meshes' is missing"},
        {"name: p\ntensors: {a: {tokens: 1, width: 18446744073709551615}}\n",
         "p.yaml:2:33: key 'width': got '18446744073709551615'; allowed: integer 0 .. 10"},
        {PROGRAM "lookahead: some\noperations: [{all_reduce: {reads: {u: p}, writes: {x: r}}}]\n",
         "p.yaml:6:12: key 'lookahead': got 'some'; allowed: none, readers, full"},
        {PROGRAM "buffers: 0\noperations: [{all_reduce: {reads: {u: p}, writes: {x: r}}}]\n",
         "p.yaml:6:10: key 'buffers': got '0'; allowed: integer 1 .. 64"},
        {PROGRAM
         "routing: {top_k: 0}\noperations: [{all_reduce: {reads: {u: p}, writes: {x: r}}}]\n",
         "p.yaml:6:18: key 'top_k': got '0'; allowed: integer 1 .. 8"},
    };
    expect_files_refused("run mesh_5x5 %s", "p.yaml", cases, COUNT(cases));
}

static void settings(void) {
    static const bad_case cases[] = {
        {"--set fidelity=exact", "allowed: at, lt"},
        {"--set trains=2", "key 'trains': got '2'"},
        {"--set 'vcs=4 '", "got '4 '"},
        {"--set vcs=+4", "got '+4'"},
        {"--set vcs=4e0", "got '4e0'"},
        {"--set staging_bytes=16777216TiB", "got '16777216TiB'"},
        {"--set =", "--set: got '='; allowed: KEY=VALUE"},
        {"--set VCS=4", "unknown key 'VCS'"},
        {"--set link_latency_cycles=0", "got '0'; allowed: integer 1"},
        {"--set skew=-0.1", "key 'skew': got '-0.1'"},
        {"--set capacity_factor=inf", "got 'inf'"},
        {"--fidelity none", "got 'none'; allowed: at, lt"},
        {"--set platform=torus", "unknown key 'platform'"},
        {"--set name=x", "unknown key 'name'"},
        {"--set run=x", "unknown key 'run'"},
    };
    for (size_t i = 0; i < COUNT(cases); ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "run mesh_5x5 tp_sp %s", cases[i].text);
        expect_refused(arguments, &cases[i]);
    }
}

static void graphs(void) {
    static const bad_case cases[] = {
        {"\n", "g.csv:1:1: got header ''; allowed: id,kind,die,destination,bytes,cycles,after"},
        {"ID,kind,die,destination,bytes,cycles,after\n",
         "g.csv:1:1: got header 'ID,kind,die,destination,bytes,cycles,aft...'; allowed: "},
        {HEADER ",,,,,,\n",
         "g.csv:2:1: key 'id': got ''; allowed: integer 0 .. 18446744073709551615"},
        {HEADER "1,send,0,1,1,5,\n",
         "g.csv:2:14: key 'cycles': got '5'; allowed in a send: nothing"},
        {HEADER "1,compute,0,1,,5,\n",
         "g.csv:2:13: key 'destination': got '1'; allowed in a compute: nothing"},
        {HEADER "1,compute,0,,9,5,\n",
         "g.csv:2:14: key 'bytes': got '9'; allowed in a compute: nothing"},
        {HEADER "1,compute,0,,,,\n",
         "g.csv:2:15: key 'cycles': got ''; allowed: integer 0 .. 1099511627776"},
        {HEADER "1,send,,1,1,,\n", "g.csv:2:8: key 'die': got ''; allowed: integer 0 .. 24"},
        {HEADER "1,send,0,,1,,\n",
         "g.csv:2:10: key 'destination': got ''; allowed: integer 0 .. 24"},
        {HEADER "1,send,0,1,,,\n",
         "g.csv:2:12: key 'bytes': got ''; allowed: integer 0 .. 1099511627776"},
        {HEADER "x,send,0,1,1,,\n",
         "g.csv:2:1: key 'id': got 'x'; allowed: integer 0 .. 18446744073709551615"},
        {HEADER "1,send,0,1,1.5,,\n",
         "g.csv:2:12: key 'bytes': got '1.5'; allowed: integer 0 .. 1099511627776"},
        {HEADER "1,send,0,1,1099511627777,,\n",
         "g.csv:2:12: key 'bytes': got '1099511627777'; allowed: integer 0 .. 1099511627"},
        {HEADER "1,compute,0,,,1099511627777,\n",
         "g.csv:2:15: key 'cycles': got '1099511627777'; allowed: integer 0 .. 109951162"},
        {HEADER "1,send,0,1,1,,2\n2,send,0,1,1,,1\n",
         "g.csv:2:1: key 'after': a circle, 1 after 2 after 1; allowed: no circles"},
        {HEADER "1,send,0,1,1,,\n2,send,0,1,1,,1 1\n",
         "g.csv:3:15: key 'after': got '1' twice; allowed: each id once"},
        {HEADER "1,send,0,1,1,,\n2,send,0,1,1,,1;1\n",
         "g.csv:3:15: key 'after': got '1;1'; allowed: integer 0 .. 18446744073709551615"},
        {HEADER "1,SEND,0,1,1,,\n", "g.csv:2:3: key 'kind': got 'SEND'; allowed: send, compute"},
        {HEADER " 1,send,0,1,1,,\n",
         "g.csv:2:1: key 'id': got ' 1'; allowed: integer 0 .. 18446744073709551615"},
        {HEADER "1,send,0,1,1,,,\n",
         "g.csv:2:1: got 8 fields; allowed: 7, id,kind,die,destination,bytes,cycles,afte"},
    };
    char path[96];
    char arguments[256];
    path_of(path, sizeof path, "g.csv");
    snprintf(arguments, sizeof arguments, "replay mesh_5x5 %s", path);
    for (size_t i = 0; i < COUNT(cases); ++i) {
        write_file(path, cases[i].text, strlen(cases[i].text));
        CHECK(run(arguments) == 2);
        CHECK_CONTAINS(output, cases[i].message);
    }
    unlink(path);
}

int main(int argc, char** argv) {
    static const chm_test tests[] = {
        {"platform_files", platform_files},
        {"program_files", program_files},
        {"settings", settings},
        {"graphs", graphs},
    };
    make_folder();
    int result = chm_run_tests(tests, COUNT(tests), argc, argv);
    CHECK(rmdir(folder) == 0);
    return result;
}

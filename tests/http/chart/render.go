// Renders a chart as `helm template RELEASE CHART` does, from what Debian has of Helm: Go's templates, sprig's functions, and the library of Helm 3
// that holds values to values.schema.json. What Helm adds itself is written here: include, tpl, required, toYaml, fromJsonArray, .Files.Get.
//
//	render CHART RELEASE VALUES    VALUES as JSON, in place of those of values.yaml
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"github.com/xeipuuv/gojsonschema"
	"gopkg.in/yaml.v3"
)

type values = map[string]interface{}

type files struct{ folder string }

func (f files) Get(name string) string { return read(f.folder, name) }

func read(folder, name string) string {
	text, err := os.ReadFile(filepath.Join(folder, name))
	must(err)
	return string(text)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

// As Helm reads YAML: by way of JSON, so that each number is a float64.
func parse(text string) values {
	var tree interface{}
	must(yaml.Unmarshal([]byte(text), &tree))
	words, err := json.Marshal(tree)
	must(err)
	var made values
	must(json.Unmarshal(words, &made))
	return made
}

func merge(into, from values) {
	for key, value := range from {
		below, ok := value.(values)
		if there, both := into[key].(values); ok && both {
			merge(there, below)
			continue
		}
		into[key] = value
	}
}

func validate(schema string, given values) error {
	result, err := gojsonschema.Validate(gojsonschema.NewStringLoader(schema), gojsonschema.NewGoLoader(given))
	if err != nil || result.Valid() {
		return err
	}
	said := []string{}
	for _, fault := range result.Errors() {
		said = append(said, fault.String())
	}
	return errors.New(strings.Join(said, "; "))
}

func functions(all *template.Template) template.FuncMap {
	made := sprig.TxtFuncMap()
	delete(made, "env")
	delete(made, "expandenv")
	made["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	made["tpl"] = func(source string, data interface{}) (string, error) {
		one, err := all.Clone()
		if err != nil {
			return "", err
		}
		if one, err = one.New("tpl").Parse(source); err != nil {
			return "", err
		}
		var text strings.Builder
		err = one.Execute(&text, data)
		return text.String(), err
	}
	made["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	made["toYaml"] = func(value interface{}) (string, error) {
		var text bytes.Buffer
		writer := yaml.NewEncoder(&text)
		writer.SetIndent(2)
		err := writer.Encode(value)
		return strings.TrimSuffix(text.String(), "\n"), err
	}
	made["fromJsonArray"] = func(text string) (list []interface{}, err error) {
		return list, json.Unmarshal([]byte(text), &list)
	}
	return made
}

func main() {
	folder, release := os.Args[1], os.Args[2]
	chart, given := parse(read(folder, "Chart.yaml")), parse(read(folder, "values.yaml"))
	merge(given, parse(os.Args[3]))
	must(validate(read(folder, "values.schema.json"), given))
	all := template.New("chart").Option("missingkey=error")
	all.Funcs(functions(all))
	names, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	must(err)
	for _, name := range names {
		_, err := all.New(filepath.Base(name)).Parse(read("", name))
		must(err)
	}
	named := values{}
	for key, value := range chart {
		named[strings.ToUpper(key[:1])+key[1:]] = value
	}
	data := values{
		"Chart": named, "Values": given, "Files": files{folder},
		"Release": values{"Name": release, "Namespace": "default", "Service": "Helm"},
	}
	for _, name := range names {
		if base := filepath.Base(name); base[0] != '_' {
			var text strings.Builder
			must(all.ExecuteTemplate(&text, base, data))
			if base == "NOTES.txt" { // which Helm shows, and does not apply
				continue
			}
			fmt.Printf("---\n# Source: %s\n%s\n", base, text.String())
		}
	}
}

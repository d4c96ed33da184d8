//! The modules of a crate as its files tell them, and which of them names which.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, File, ImplItem, Item, ItemMod, ItemUse, Macro, Meta, Token, UseTree};

/// A path, or the place of a module: the names from the crate's root on, which is the empty one.
type Names = Vec<String>;

/// Re-exports of re-exports are followed this far.
const DEEPEST: usize = 16;

/// All modules of a crate.
#[derive(Debug, Default)]
pub(super) struct Tree(BTreeMap<Names, Module>);

#[derive(Debug, Default)]
struct Module {
    children: BTreeSet<String>,
    items: BTreeSet<String>,
    /// What is imported, by the name that it has here.
    imports: BTreeMap<String, Names>,
    /// What all is imported from.
    globs: Vec<Names>,
    /// All paths that are written in it, each with its file and line.
    named: Vec<(Names, String)>,
}

/// Reads a crate from its root file. Files are told relative to `base`.
pub(super) fn read(root: &Path, base: &Path) -> Tree {
    let mut reader =
        Reader { base, tree: Tree::default(), at: Vec::new(), file: PathBuf::new(), folder: PathBuf::new() };
    reader.tree.0.insert(Vec::new(), Module::default());
    reader.read(root, root.parent().expect("a file is in a folder").to_owned());
    reader.tree
}

impl Tree {
    /// Which module names which, and where.
    pub(super) fn uses(&self) -> Vec<(&Names, String, Names)> {
        let of_module = |(at, module): (_, &Module)| {
            let found = |(path, site): &(Names, String)| Some((at, site.clone(), self.resolve(at, path, 0)?));
            module.named.iter().filter_map(found).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of_module).collect()
    }

    /// The module in which what `path` names is defined, as far as that is in this crate.
    fn resolve(&self, from: &Names, path: &[String], depth: usize) -> Option<Names> {
        let mut at = from.clone();
        let mut within = false;
        for (index, name) in path.iter().enumerate() {
            match name.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => drop(at.pop()?),
                name => {
                    let module = &self.0[&at];
                    if module.children.contains(name) {
                        at.push(name.to_owned());
                    } else {
                        let here = (within || module.items.contains(name)).then(|| at.clone());
                        return self.imported(&at, name, &path[index + 1..], depth).or(here);
                    }
                }
            }
            within = true;
        }
        Some(at)
    }

    /// The same of what begins with a name that may be imported into the module `at`.
    fn imported(&self, at: &Names, name: &str, rest: &[String], depth: usize) -> Option<Names> {
        let module = &self.0[at];
        if depth == DEEPEST || module.items.contains(name) {
            return None;
        }
        let continued = |path: &Names| [path, rest].concat();
        match module.imports.get(name) {
            // A crate's name.
            Some(path) if path[0] == name => None,
            Some(path) => self.resolve(at, &continued(path), depth + 1),
            None => module.globs.iter().find_map(|glob| {
                let source = self.resolve(at, glob, depth + 1)?;
                let known = &self.0[&source];
                let has = known.items.contains(name)
                    || known.children.contains(name)
                    || known.imports.contains_key(name);
                let path: Names = std::iter::once(name.to_owned()).chain(rest.iter().cloned()).collect();
                if has && source != *at { self.resolve(&source, &path, depth + 1) } else { None }
            }),
        }
    }
}

struct Reader<'b> {
    base: &'b Path,
    tree: Tree,
    /// The module that is being read, in which file, and in which folder its children's files are.
    at: Names,
    file: PathBuf,
    folder: PathBuf,
}

impl Reader<'_> {
    fn read(&mut self, file: &Path, folder: PathBuf) {
        let text =
            std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed: File =
            syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let outer =
            (std::mem::replace(&mut self.file, file.to_owned()), std::mem::replace(&mut self.folder, folder));
        self.visit_file(&parsed);
        (self.file, self.folder) = outer;
    }

    fn module(&mut self) -> &mut Module {
        self.tree.0.get_mut(&self.at).expect("a module is entered before it is read")
    }

    fn name(&mut self, path: Names, line: usize) {
        let file = self.file.strip_prefix(self.base).unwrap_or(&self.file);
        let site = format!("{}:{line}", file.display());
        self.module().named.push((path, site));
    }

    fn import(&mut self, tree: &UseTree, prefix: &[String]) {
        let with = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        let (path, known_as, line) = match tree {
            UseTree::Path(path) => return self.import(&path.tree, &with(&path.ident)),
            UseTree::Group(group) => return group.items.iter().for_each(|tree| self.import(tree, prefix)),
            UseTree::Glob(glob) => (prefix.to_vec(), None, glob.span().start().line),
            UseTree::Name(name) if name.ident == "self" => {
                (prefix.to_vec(), prefix.last().cloned(), name.ident.span().start().line)
            }
            UseTree::Name(name) => {
                (with(&name.ident), Some(name.ident.to_string()), name.ident.span().start().line)
            }
            UseTree::Rename(renamed) => {
                let path = if renamed.ident == "self" { prefix.to_vec() } else { with(&renamed.ident) };
                (path, Some(renamed.rename.to_string()), renamed.ident.span().start().line)
            }
        };
        match known_as {
            Some(name) => drop(self.module().imports.insert(name, path.clone())),
            None => self.module().globs.push(path.clone()),
        }
        self.name(path, line);
    }

    /// Paths within a macro, which nothing but their colons tells.
    fn tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut colons): (Names, _) = (Vec::new(), 0);
        let mut line = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) if path.is_empty() || colons == 2 => {
                    line = ident.span().start().line;
                    path.push(ident.to_string());
                    colons = 0;
                    continue;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() && colons < 2 => {
                    colons += 1;
                    continue;
                }
                TokenTree::Ident(ident) => {
                    self.end_of_path(&mut path, line);
                    line = ident.span().start().line;
                    path.push(ident.to_string());
                }
                TokenTree::Group(group) => {
                    self.end_of_path(&mut path, line);
                    self.tokens(group.stream());
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => self.end_of_path(&mut path, line),
            }
            colons = 0;
        }
        self.end_of_path(&mut path, line);
    }

    fn end_of_path(&mut self, path: &mut Names, line: usize) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.name(path, line);
        }
    }
}

impl<'a> Visit<'a> for Reader<'_> {
    fn visit_item(&mut self, item: &'a Item) {
        let (attributes, name): (&[Attribute], _) = match item {
            Item::Const(item) => (&item.attrs, Some(&item.ident)),
            Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            Item::Impl(item) => (&item.attrs, None),
            Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
            Item::Mod(item) => (&item.attrs, None),
            Item::Static(item) => (&item.attrs, Some(&item.ident)),
            Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            Item::Type(item) => (&item.attrs, Some(&item.ident)),
            Item::Union(item) => (&item.attrs, Some(&item.ident)),
            Item::Use(item) => (&item.attrs, None),
            _ => (&[], None),
        };
        if is_test(attributes) {
            return;
        }
        if let Some(name) = name {
            let name = name.to_string();
            self.module().items.insert(name);
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'a ImplItem) {
        if !matches!(item, ImplItem::Fn(function) if is_test(&function.attrs)) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        let name = item.ident.to_string();
        self.module().children.insert(name.clone());
        self.at.push(name.clone());
        let at = self.at.clone();
        self.tree.0.insert(at, Module::default());
        let beside = self.folder.join(format!("{name}.rs"));
        match (&item.content, path_attribute(&item.attrs)) {
            (Some((_, items)), _) => {
                let folder = self.folder.join(&name);
                let outer = std::mem::replace(&mut self.folder, folder);
                items.iter().for_each(|item| self.visit_item(item));
                self.folder = outer;
            }
            (None, Some(path)) => {
                let file = self.file.parent().expect("a file is in a folder").join(path);
                let folder = file.with_extension("");
                self.read(&file, folder);
            }
            (None, None) if beside.exists() => self.read(&beside, self.folder.join(&name)),
            (None, None) => {
                let folder = self.folder.join(&name);
                self.read(&folder.join("mod.rs"), folder.clone());
            }
        }
        self.at.pop();
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        if item.leading_colon.is_none() {
            self.import(&item.tree, &[]);
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.leading_colon.is_none() && path.segments.len() > 1 {
            let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.name(names, path.span().start().line);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'a Macro) {
        visit::visit_macro(self, called);
        self.tokens(called.tokens.clone());
    }
}

/// Whether code is only there for tests.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        let Ok(condition) = attribute.parse_args::<Meta>() else { return false };
        match &condition {
            Meta::List(list) if list.path.is_ident("all") => list
                .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                .is_ok_and(|all| all.iter().any(|one| one.path().is_ident("test"))),
            condition => condition.path().is_ident("test"),
        }
    })
}

/// Where `#[path = "..."]` says that a module is.
fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("path")).find_map(|attribute| {
        let Meta::NameValue(value) = &attribute.meta else { return None };
        match &value.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        }
    })
}
